// A running design: executes its operations on a Database, exactly as planned (design/plan/plan.h).
//
//   TRY_INTO(auto runtime, DesignRuntime::open(design, database, options));
//   auto reply = runtime->call(*design.operation("grant"), inputs, {.caller = claims}, call);
//
// call() checks inputs and `allow`, runs the steps, and composes the answer: {"item": ...}, {"items": [...], "next":
// ...} or the expression of `returns`. It uses the Database's form with a Call: as there, the caller must not send the
// answer (or a refusal) before wait_durable(call). It may block if a step is retried after a wait, or if the Database
// is remote.
//
// The design, the Database and everything that options refer to must outlive it. Thread-safe.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "design/plan/plan.h"
#include "model/database.h"
#include "runtime/items/blob_store.h"
#include "runtime/sending/operation_units.h"
#include "runtime/sending/sent_request.h"
#include "runtime/values/key_ring.h"
#include "runtime/values/plain.h"
#include "runtime/values/refusal.h"

namespace trestle::runtime {

struct RuntimeOptions {
  const KeyRing* keys = nullptr;
  BlobStore* blobs = nullptr;
  const Clock* clock = nullptr;  // null: the system's
  bool remote = false;           // the Database is remote: shards are read concurrently
};

struct CallContext {
  Plain caller;  // claims of a token (a map), or absent
  // The revision that the item must have; otherwise the call is refused with 409. "*" matches any. Only operations
  // whose plan checks a revision accept it.
  std::optional<std::string> if_match;
  std::optional<std::string> idempotency_key;  // the same key and inputs: the first answer again, for 24 hours
  // A call with this key refers to the first such call, whatever the inputs are now, and the first call no longer runs:
  // what it left unfinished is completed, with its inputs.
  bool means_first_call = false;
  RequestObserver observer = {};  // sees every request that the call sends; may be empty
  // Nothing is done unless there was such a call.
  bool only_resumes = false;
};

// The reply to a call.
struct CallReply {
  Plain body;  // a map
  // The revision of the only item in it, if its entity has one: for ETag.
  std::optional<std::string> revision;
  // How old the answer is, if it comes from the cache (`cache`).
  std::optional<int64_t> age_s;
  // Where a list goes on: opaque to callers; give it back as `position`. The API layer signs it and puts it in "next".
  std::optional<std::string> position;
};

// How a list is read.
struct ListOptions {
  std::optional<int64_t> limit;  // 1 to 1000
  std::optional<bool> descending;
  std::string position;  // empty: from the beginning
};

class DesignRuntime {
 public:
  static Outcome<std::unique_ptr<DesignRuntime>> open(const design::Design& design, Database& database,
                                                      RuntimeOptions options);
  virtual ~DesignRuntime() = default;

  virtual Outcome<CallReply> call(const design::Operation& operation, const Plain& inputs, const ListOptions& list,
                                  const CallContext& context, Call& call) = 0;

  // Whether a call never waits on an embedded Database and makes few requests, so that an event loop may execute it;
  // otherwise it belongs on a pool thread.
  virtual bool is_brief(const design::Operation& operation) const = 0;
  virtual const design::Plan& plan(const design::Operation& operation) const = 0;
  virtual const design::Design& design() const = 0;
  // Whether the operation answers a list (and so takes limit, next, descending).
  virtual bool is_list(const design::Operation& operation) const = 0;

  // What the operations have consumed since the start.
  virtual const OperationUnits& units() const = 0;

  // Unfinished cascades of calls that a crash cut short are taken up and ended; how many there were.
  virtual Outcome<int64_t> resume() = 0;
};

}  // namespace trestle::runtime
