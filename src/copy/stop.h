// The request to end a copy: Ctrl-C, once or more. Safe to use from threads and signal handlers.
//
// A phase that can finish gracefully may tolerate some requests first: following a stream treats the first as the
// request to cut over, and stops at the second.
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
  void ask() { asked_.fetch_add(1); }
  int asked() const { return asked_.load(); }
  void allow(int askings) { allowed_.store(askings); }
  bool wanted() const { return asked_.load() > allowed_.load(); }

  // False: it was cut short.
  bool sleep(std::chrono::nanoseconds time) const {
    const auto until = std::chrono::steady_clock::now() + time;
    while (!wanted()) {
      const auto left = until - std::chrono::steady_clock::now();
      if (left <= left.zero()) return true;
      std::this_thread::sleep_for(std::min<std::chrono::nanoseconds>(left, std::chrono::milliseconds(50)));
    }
    return false;
  }

 private:
  std::atomic<int> asked_ = 0;
  std::atomic<int> allowed_ = 0;
};

// The error of a function that was interrupted; its caller checks Stop first.
inline std::unexpected<Error> stopped() { return failure(ErrorCode::kInternal, "it was stopped"); }

}  // namespace trestle::copy
