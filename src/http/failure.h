// The error type of the HTTP client: a message for the user. No code depends on the kind of failure, so there are no
// kinds.
#pragma once

#include <string>

#include "base/result.h"

namespace trestle::http {

struct Failure {
  std::string message;
};

template <class T>
using Result = BasicResult<T, Failure>;

inline std::unexpected<Failure> fail(std::string message) { return std::unexpected(Failure{std::move(message)}); }

}  // namespace trestle::http
