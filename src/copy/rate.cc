#include "copy/rate.h"

namespace trestle::copy {

std::chrono::nanoseconds Rate::lasts(double amount) const {
  return std::chrono::nanoseconds(static_cast<int64_t>(amount / per_second_ * 1e9));
}

std::chrono::nanoseconds Rate::reserve(double amount, Time now) {
  if (per_second_ <= 0) return {};
  const MutexLock lock(mutex_);
  const Time start = std::max(free_at_, now);
  free_at_ = start + lasts(amount);
  return start - now;
}

bool Rate::take(double amount, const Stop& stop) {
  return stop.sleep(reserve(amount, std::chrono::steady_clock::now()));
}

void Rate::correct(double amount) {
  if (per_second_ <= 0) return;
  const MutexLock lock(mutex_);
  free_at_ += lasts(amount);
}

}  // namespace trestle::copy
