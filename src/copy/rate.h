// A rate that many threads keep together: each takes an amount, and waits until its turn.
//
// Turns follow each other as the rate says, with no burst: ten units at 100 a second keep the next taker away for 0.1
// s. Threads may share it.
#pragma once

#include <chrono>

#include "base/mutex.h"
#include "copy/stop.h"

namespace trestle::copy {

class Rate {
 public:
  using Time = std::chrono::steady_clock::time_point;

  // 0: no limit.
  explicit Rate(double per_second) : per_second_(per_second) {}

  // Waits for its turn. False: stopped.
  bool take(double amount, const Stop& stop);
  // How long to wait, for whoever waits himself.
  std::chrono::nanoseconds reserve(double amount, Time now);
  // What turned out to cost more, or less, than was taken: later takers make up for it.
  void correct(double amount);

 private:
  std::chrono::nanoseconds lasts(double amount) const;

  const double per_second_;
  Mutex mutex_;
  Time free_at_ GUARDED_BY(mutex_) = {};
};

}  // namespace trestle::copy
