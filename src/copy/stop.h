// Requests to stop a copy: Ctrl-C, once or more. Safe to use from threads and signal handlers.
//
// A phase that can finish gracefully may tolerate some requests: following a stream takes the first as a request to cut
// over, and stops at the second.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>

#include "model/error.h"

namespace trestle::copy {

class Stop {
 public:
  void request() { requests_.fetch_add(1); }
  int requests() const { return requests_.load(); }
  void tolerate(int count) { tolerated_.store(count); }
  // Whether there were more requests than are tolerated.
  bool is_requested() const { return requests_.load() > tolerated_.load(); }

  // False: a stop was requested before the time was over.
  bool sleep(std::chrono::nanoseconds time) const {
    const auto until = std::chrono::steady_clock::now() + time;
    while (!is_requested()) {
      const auto left = until - std::chrono::steady_clock::now();
      if (left <= left.zero()) return true;
      std::this_thread::sleep_for(std::min<std::chrono::nanoseconds>(left, std::chrono::milliseconds(50)));
    }
    return false;
  }

 private:
  std::atomic<int> requests_ = 0;
  std::atomic<int> tolerated_ = 0;
};

// The error of a function that was interrupted; its caller checks Stop first.
inline std::unexpected<Error> stopped() { return failure(ErrorCode::kInternal, "it was stopped"); }

}  // namespace trestle::copy
