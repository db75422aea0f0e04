// A rate limit shared by several threads: each takes an amount and waits for its turn.
//
// There are no bursts: at 100 units a second, taking ten units delays the next caller by 0.1 s. Thread-safe.
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

  // Waits for the caller's turn. False: a stop was requested.
  bool take(double amount, const Stop& stop);
  // Reserves the amount; returns how long the caller must wait.
  std::chrono::nanoseconds reserve(double amount, Time now);
  // Corrects the amount of an earlier take; later callers wait correspondingly more or less.
  void correct(double amount);

 private:
  std::chrono::nanoseconds lasts(double amount) const;

  const double per_second_;
  Mutex mutex_;
  Time free_at_ GUARDED_BY(mutex_) = {};
};

}  // namespace trestle::copy
