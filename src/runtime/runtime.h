// A running design: executes its operations on a Database, exactly as planned (design/plan/plan.h).
//
//   TRY_INTO(auto runtime, DesignRuntime::open(design, database, options));
//   auto reply = runtime->call(*design.operation("grant"), inputs, {.caller = claims}, call);
//
// call() checks inputs and `allow`, runs the steps, and composes the answer: {"item": ...}, {"items": [...], "next":
// ...} or the value of `returns`. As with the Database's own operations that take a Call, the caller must not send the
// answer (or a refusal) before wait_durable(call) returns. call() may block if a step is retried after a wait, if a
// value is in blob storage, or if the Database is remote.
//
// With Call::cached_reads_only, a call of a brief operation (is_brief) does not wait and sends few requests. If that is
// not enough, Call::needs_disk becomes true, the reply is meaningless, and the call must be repeated by a thread that
// may wait. It has then had no effect, except that the requests it has sent are counted as consumed capacity. The first
// write of a call clears Call::cached_reads_only: from then on, the call may wait and is not repeated.
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
  const Clock* clock = nullptr;  // null: the system clock
  bool remote = false;           // the Database is remote: shards are read concurrently
};

struct CallContext {
  Plain caller;  // claims of a token (a map), or absent
  // The revision that the item must have; otherwise the call is refused with 409. "*" matches any. Only operations
  // whose plan checks a revision accept it.
  std::optional<std::string> if_match;
  std::optional<std::string> idempotency_key;  // a repeat with the same inputs gets the first answer, for 24 hours
  // The call stands for the first call with its idempotency key, whatever its own inputs are. The first call must no
  // longer be running; if it is unfinished, it is completed with its own inputs.
  bool repeats_first_call = false;
  RequestObserver observer = {};  // sees every request that the call sends; may be empty
  // Only resume an interrupted call with this key: if there is none, do nothing.
  bool only_resumes = false;
};

// The reply to a call.
struct CallReply {
  Plain body;  // a map
  // The revision of the single item in the body, if its entity has revisions: for ETag.
  std::optional<std::string> revision;
  // How old the answer is, if it comes from the cache (`cache`).
  std::optional<int64_t> age_s;
  // When the first of the items that were read expires, in Unix seconds, so that the answer is cached no longer.
  std::optional<int64_t> expires_s;
  // Continuation token of a list, opaque to callers: pass it as ListOptions::position to read the next page. The API
  // layer signs it and returns it as "next".
  std::optional<std::string> position;
};

// Paging of a list.
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

  // Whether an event loop may execute calls (with Call::cached_reads_only) if the Database is embedded. Other calls
  // belong on a pool thread.
  virtual bool is_brief(const design::Operation& operation) const = 0;
  virtual const design::Plan& plan(const design::Operation& operation) const = 0;
  virtual const design::Design& design() const = 0;
  // Whether the operation returns a list (and so takes limit, next and descending).
  virtual bool is_list(const design::Operation& operation) const = 0;

  // The capacity that the operations have consumed since the start.
  virtual const OperationUnits& units() const = 0;

  // Completes or undoes the calls that a crash interrupted and that left a job note in the journal. Returns how many.
  virtual Outcome<int64_t> resume() = 0;
};

}  // namespace trestle::runtime
