// Why an operation of a design was not done, as an HTTP status and words for the caller. Nothing was changed, unless
// the design says so (`also`).
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "model/error.h"

namespace trestle::runtime {

struct FieldFault {
  std::string field;   // "blockedApps[2].ports[0].port"
  std::string reason;  // "must be between 1 and 65535"
};

struct Refused {
  int status = 500;
  std::string message;
  std::vector<FieldFault> fields;  // 400
  int64_t retry_after_s = 0;       // 429, 503; 0: not said
  // Whether the same call may succeed if it is made again: throttling is, a conflict of values is not.
  bool retryable = false;
};

template <class T>
using Outcome = BasicResult<T, Refused>;

inline std::unexpected<Refused> refuse(int status, std::string message) {
  return std::unexpected(Refused{.status = status, .message = std::move(message)});
}

// What a database's error means to the caller of an operation: throttling 503 with Retry-After, a conflict of
// transactions 409 and retryable, a missing table 500 that names it, the machine's fault 503, an item or number that is
// too large to be stored 400, all else 500.
Refused refused_by(const Error& error);

}  // namespace trestle::runtime
