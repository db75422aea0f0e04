// Why an operation of a design was refused: an HTTP status and a message for the caller. Nothing was changed, except by
// the steps of `also`.
#pragma once

#include <string>
#include <string_view>
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
  // Internal to the runtime, null outside: the plan's refusal that must still be handled. The steps are repeated as
  // often as it says; after that, the steps of its `also` are run.
  const design::Refusal* planned = nullptr;

  // Whether this is the outcome of the call, and not a failure after which the call may be repeated or resumed.
  bool is_final() const { return status < 500 && !retryable; }
};

template <class T>
using Outcome = BasicResult<T, Refused>;

inline std::unexpected<Refused> refuse(int status, std::string message) {
  return std::unexpected(Refused{.status = status, .message = std::move(message)});
}

// Whether the error says that an item is in a transaction in progress, which may be one of an earlier step of the same
// call. On an embedded Database, a transaction is in progress until it is durable.
bool is_conflict(const Error& error);

// Whether it is DynamoDB's message for an item that is too large, or would be after an update.
bool is_item_too_large(std::string_view message);

// Maps a database error to the refusal of an operation: throttling to 503 with Retry-After, a transaction conflict to a
// retryable 409, a missing table to 500 with its name, an unavailable database to 503, an item or number that is too
// large to 400, a stored value of a type that the write cannot change to 409, anything else to 500.
Refused refused_by(const Error& error);

// The status and message of a plan's refusal, or the defaults for the cause. `refusal` is null if the plan has none for
// the cause; `entity` may be null.
Refused refused_by(const design::Refusal* refusal, design::Cause cause, const design::Entity* entity,
                   int64_t retry_after_s = 0);

}  // namespace trestle::runtime
