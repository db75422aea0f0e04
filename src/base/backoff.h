// Exponential backoff with full jitter: how long to wait before a retry, such that callers rejected at the same time do
// not retry at the same time.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <thread>

#include "base/random_id.h"

namespace trestle {

struct Backoff {
  int64_t base_ms = 50;
  int64_t cap_ms = 20'000;

  // The longest wait after `failures` failed attempts. `failures` must be at least 1.
  int64_t longest_ms(unsigned failures) const { return std::min(cap_ms, base_ms << std::min(failures - 1, 30u)); }
  // A random wait between 0 and longest_ms().
  int64_t delay_ms(unsigned failures) const {
    return static_cast<int64_t>(random_u64() % static_cast<uint64_t>(longest_ms(failures) + 1));
  }
};

// A function that sleeps, for tests to replace. Null: really sleeps.
using Sleeper = std::function<void(int64_t ms)>;
inline void sleep_for_ms(const Sleeper& sleeper, int64_t ms) {
  if (sleeper) return sleeper(ms);
  if (ms > 0) std::this_thread::sleep_for(std::chrono::milliseconds(ms));
}

}  // namespace trestle
