// For tests: minutes, hours and days in milliseconds.
#pragma once

#include <cstdint>

namespace trestle {

inline constexpr int64_t kMinuteMs = 60'000;
inline constexpr int64_t kHourMs = 60 * kMinuteMs;
inline constexpr int64_t kDayMs = 24 * kHourMs;

}  // namespace trestle
