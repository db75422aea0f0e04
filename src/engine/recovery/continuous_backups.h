// To which times a table with point in time recovery can be restored. Pure.
#pragma once

#include <cstdint>

#include "model/table.h"

namespace trestle {

// How far recovery reaches back.
inline int64_t recovery_period_ms(const PointInTimeRecovery& recovery) {
  constexpr int64_t kDayMs = int64_t{24} * 60 * 60 * 1000;
  return recovery.period_days * kDayMs;
}

struct RestorableTimes {
  // The whole second in which recovery began, or that is as many days ago as it reaches back. Within the second in
  // which it began a table is restored to what it was when it began.
  int64_t earliest_ms = 0;
  int64_t latest_ms = 0;  // now
};
RestorableTimes restorable_times(const PointInTimeRecovery& recovery, int64_t now_ms);

}  // namespace trestle
