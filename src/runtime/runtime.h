// A design that runs: its operations as calls on a Database, each exactly as its plan says (design/plan/plan.h).
//
//   TRY_INTO(auto runtime, DesignRuntime::open(design, database, options));
//   auto reply = runtime->call(*design.operation("grant"), inputs, {.caller = claims}, call);
//
// call() checks inputs and `allow`, runs the steps, and makes the answer: {"item": ...}, {"items": [...], "next": ...}
// or what `returns` says. It uses the Database's form with a Call and leaves in `call` what the answer depends on: like
// there, the caller must not let the answer (or a refusal) out before wait_durable(call). It may block where a step has
// to be tried again after a wait, or where the Database is remote.
//
// The design, the Database and all that options name must outlive it. Threads may share a DesignRuntime.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "design/plan/plan.h"
#include "model/database.h"
#include "runtime/background/blob_store.h"
#include "runtime/call/operation_units.h"
#include "runtime/call/refusal.h"
#include "runtime/call/sent_request.h"
#include "runtime/values/key_ring.h"
#include "runtime/values/plain.h"

namespace trestle::runtime {

struct RuntimeOptions {
  const KeyRing* keys = nullptr;
  BlobStore* blobs = nullptr;
  const Clock* clock = nullptr;  // null: the system's
  bool remote = false;           // the Database is a network away: reads of shards are made side by side
};

struct CallContext {
  Plain caller;  // claims of a token (a map), or absent
  // A revision that the item must have; another one is refused with 409, as systems of this kind answer every conflict
  // of revisions. "*" asks for nothing. Only operations whose plan checks a revision take it.
  std::optional<std::string> if_match;
  std::optional<std::string> idempotency_key;  // the same key and inputs: the first answer again, for 24 hours
  // Whoever calls under this key means the first such call, whatever the inputs are by now, and knows that it no longer
  // runs: what it left undone is done, with its inputs.
  bool means_first_call = false;
  RequestObserver observer = {};  // sees every request that the call sends; may be empty
  // Nothing is done unless there was such a call.
  bool only_resumes = false;
};

// What a call answers.
struct CallReply {
  Plain body;  // a map
  // The revision of the one item in it, where its entity has one: for ETag.
  std::optional<std::string> revision;
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

  // Whether a call of it never waits on an embedded Database and makes few requests, so that an event loop may make it
  // itself; otherwise it belongs on a thread of a pool.
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
