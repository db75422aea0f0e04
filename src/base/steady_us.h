// Microseconds of the monotonic clock, for measuring durations and setting deadlines. Thread-safe.
#pragma once

#include <chrono>
#include <cstdint>

namespace trestle {

inline int64_t steady_us() {
  using namespace std::chrono;
  return duration_cast<microseconds>(steady_clock::now().time_since_epoch()).count();
}

}  // namespace trestle
