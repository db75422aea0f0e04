// The number of bytes that a server holds for unfinished requests, requests that wait for another thread, and unsent
// replies, and its limit.
//
// The limit is checked before more of a request is read and before it is handled, so it is exceeded by at most one
// reply per event loop. Thread-safe.
#pragma once

#include <atomic>
#include <cstddef>

namespace trestle {

class BufferBudget {
 public:
  explicit BufferBudget(size_t bytes_max) : bytes_max_(bytes_max) {}

  void add(size_t bytes) { held_.fetch_add(bytes, std::memory_order_relaxed); }
  void remove(size_t bytes) { held_.fetch_sub(bytes, std::memory_order_relaxed); }
  // Adds the bytes if they fit.
  bool try_add(size_t bytes) {
    if (held_.fetch_add(bytes, std::memory_order_relaxed) + bytes <= bytes_max_) return true;
    remove(bytes);
    return false;
  }
  size_t held() const { return held_.load(std::memory_order_relaxed); }

  bool is_full() const { return held() >= bytes_max_; }
  bool fits(size_t bytes) const { return held() + bytes <= bytes_max_; }
  // Less than a quarter is left: connections that make no progress should release their buffers.
  bool is_scarce() const { return held() >= bytes_max_ - bytes_max_ / 4; }

 private:
  const size_t bytes_max_;
  std::atomic<size_t> held_ = 0;
};

}  // namespace trestle
