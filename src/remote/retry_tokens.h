// A limit on retries, shared by all requests, as in the standard mode of the AWS SDKs: if an endpoint fails for all
// requests, retrying each of them makes things worse. Each retry takes tokens; each success returns some. Thread-safe.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace trestle {

class RetryTokens {
 public:
  static constexpr int64_t kCapacity = 500;
  static constexpr int64_t kRetryCost = 5;
  static constexpr int64_t kTimeoutCost = 10;  // a timeout has already cost time, here and at the endpoint
  static constexpr int64_t kSuccessGain = 1;

  // False, with no tokens taken, if there are too few.
  bool take(int64_t cost) {
    int64_t left = tokens_.load(std::memory_order_relaxed);
    do {
      if (left < cost) return false;
    } while (!tokens_.compare_exchange_weak(left, left - cost, std::memory_order_relaxed));
    return true;
  }
  void give(int64_t gain) {
    int64_t left = tokens_.load(std::memory_order_relaxed);
    while (left < kCapacity &&
           !tokens_.compare_exchange_weak(left, std::min(kCapacity, left + gain), std::memory_order_relaxed)) {
    }
  }
  int64_t left() const { return tokens_.load(std::memory_order_relaxed); }

 private:
  std::atomic<int64_t> tokens_ = kCapacity;
};

}  // namespace trestle
