// Retries calls after transient failures: throttling, or an endpoint that is down or sends invalid replies. Only for
// idempotent calls.
#pragma once

#include <chrono>

#include "base/backoff.h"
#include "copy/stop.h"

namespace trestle::copy {

inline bool is_transient(const Error& error) {
  switch (error.code) {
    case ErrorCode::kProvisionedThroughputExceeded:
    case ErrorCode::kRequestLimitExceeded:
    case ErrorCode::kThrottling:
    case ErrorCode::kServiceUnavailable:
    case ErrorCode::kInternal:
      return true;
    default:
      return false;
  }
}

struct Patience {
  int64_t longest_ms = 120'000;  // since the first of consecutive failures
  Backoff backoff = {.base_ms = 100, .cap_ms = 5'000};
};

template <class Call>
auto with_retries(const Patience& patience, const Stop& stop, Call call) -> decltype(call()) {
  const auto give_up_at = std::chrono::steady_clock::now() + std::chrono::milliseconds(patience.longest_ms);
  for (unsigned failures = 1;; ++failures) {
    auto answer = call();
    if (answer.has_value() || !is_transient(answer.error())) return answer;
    if (std::chrono::steady_clock::now() > give_up_at) return answer;
    if (!stop.sleep(std::chrono::milliseconds(patience.backoff.delay_ms(failures)))) return answer;
  }
}

}  // namespace trestle::copy
