// Error replies to callers: application/problem+json (RFC 9457).
//
//   {"type":"urn:trestle:problem:bad-input","title":"Bad input","status":400,"detail":"...","retryable":false,
//    "errors":[{"field":"stars","reason":"must be between 1 and 5"}]}
//
// 429 and 503 carry Retry-After, 401 WWW-Authenticate. Pure.
#pragma once

#include <string>
#include <string_view>

#include "runtime/values/refusal.h"
#include "server/http/http.h"

namespace trestle::api {

inline constexpr std::string_view kProblemJson = "application/problem+json";

// "conflict" for 409: the last part of the problem's type, also used in metrics and logs.
std::string_view problem_name(int status);

// Turns `reply` into the problem; headers already set are kept. `challenge` is the value of WWW-Authenticate; empty:
// the default.
void set_problem(const runtime::Refused& refused, HttpReply& reply, std::string_view challenge = {});

}  // namespace trestle::api
