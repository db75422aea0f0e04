// Whether somebody wants a copy to end: Ctrl-C, once or more. Threads and signal handlers may share it.
//
// Whoever can do something better than stop allows some askings first: following a stream takes the first as the wish
// to come to an end, and stops at the second.
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

// What functions answer when they were cut short; whoever asked them looks at Stop first.
inline std::unexpected<Error> stopped() { return failure(ErrorCode::kInternal, "it was stopped"); }

}  // namespace trestle::copy
