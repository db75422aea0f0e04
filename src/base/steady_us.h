// Microseconds of a clock that is never set, since some moment in the past: to tell how long things took and when to go
// on. Any thread may ask.
#pragma once

#include <chrono>
#include <cstdint>

namespace trestle {

inline int64_t steady_us() {
  using namespace std::chrono;
  return duration_cast<microseconds>(steady_clock::now().time_since_epoch()).count();
}

}  // namespace trestle
