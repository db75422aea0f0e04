// Why an operation of a design was refused: an HTTP status and a message for the caller. Nothing was changed, unless
// the design says so (`also`).
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "model/error.h"

namespace trestle::design {
struct Entity;
struct Refusal;
enum class Cause;
}  // namespace trestle::design

namespace trestle::runtime {

struct FieldFault {
  std::string field;   // "blockedApps[2].ports[0].port"
  std::string reason;  // "must be between 1 and 65535"
};

struct Refused {
  int status = 500;
  std::string message;
  std::vector<FieldFault> fields;  // 400
  int64_t retry_after_s = 0;       // 429, 503; 0: not set
  // Whether the same call may succeed if it is repeated: true for throttling, false for a conflict of values.
  bool retryable = false;
  // Internal to the runtime, null outside: the plan's refusal that is still to be handled. The steps are run again as
  // often as it says, or else those of its `also` are run.
  const design::Refusal* planned = nullptr;

  // Whether this is the outcome of the call, and not a failure after which it is repeated or resumed.
  bool is_final() const { return status < 500 && !retryable; }
};

template <class T>
using Outcome = BasicResult<T, Refused>;

inline std::unexpected<Refused> refuse(int status, std::string message) {
  return std::unexpected(Refused{.status = status, .message = std::move(message)});
}

// Whether an item is in a transaction that has not ended, of others or of an earlier step of the same call. On an
// embedded Database that is until the transaction is durable.
bool is_conflict(const Error& error);

// Maps a database error to the reply of an operation: throttling is 503 with Retry-After, a transaction conflict 409
// and retryable, a missing table 500 that names it, a failure of the machine 503, an item or number that is too large
// 400, a stored value of another type than the write needs 409, anything else 500.
Refused refused_by(const Error& error);

// The refusal of a plan, null for one that it does not name: its status and message, or the default of the cause.
// `entity` may be null.
Refused refused_by(const design::Refusal* refusal, design::Cause cause, const design::Entity* entity,
                   int64_t retry_after_s = 0);

}  // namespace trestle::runtime
