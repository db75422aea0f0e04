// How the client side of HTTP says that it cannot go on: a sentence for the person who started it.
// Nothing reacts to the kind of a failure, so there are no kinds.
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
