// The times to which a table with point in time recovery can be restored. Pure.
#pragma once

#include <cstdint>

#include "model/table.h"

namespace trestle {

// How far back recovery reaches.
inline int64_t recovery_period_ms(const PointInTimeRecovery& recovery) {
  constexpr int64_t kDayMs = int64_t{24} * 60 * 60 * 1000;
  return recovery.period_days * kDayMs;
}

struct RestorableTimes {
  // The start of the second in which recovery was enabled, or of the recovery period if that is later. A restore to a
  // time in the second in which recovery was enabled restores the table as of the moment of enabling.
  int64_t earliest_ms = 0;
  int64_t latest_ms = 0;  // now
};
RestorableTimes restorable_times(const PointInTimeRecovery& recovery, int64_t now_ms);

}  // namespace trestle
