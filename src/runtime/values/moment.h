// Times as designs write them, in Unix milliseconds: ISO 8601 UTC, dates, hours, minutes of a day.
//
//   parse_time("2025-10-03T16:30:00.25+02:00")   1759501800250
//   time_text(1759501800250, 1000)               "2025-10-03T14:30:00Z"
//
// Years 0000 to 9999. parse(text(t)) == t for every t in range that the resolution can represent. A time that does not
// exist (month 13, 30 February, hour 24, a leap second) is rejected, and so is one without an offset. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace trestle::runtime {

inline constexpr int64_t kMinuteMs = 60'000;
inline constexpr int64_t kHourMs = 3'600'000;
inline constexpr int64_t kDayMs = 86'400'000;
// 0000-01-01T00:00:00Z and 9999-12-31T23:59:59.999Z.
inline constexpr int64_t kTimeMinMs = -62'167'219'200'000;
inline constexpr int64_t kTimeMaxMs = 253'402'300'799'999;

struct CivilDate {
  int64_t year = 1970;
  int month = 1;  // 1 to 12
  int day = 1;    // 1 to 31
};
// Days since 1970-01-01, and back.
int64_t days_of(CivilDate date);
CivilDate date_of(int64_t days);
// 0 is Monday.
int weekday_of(int64_t days);
// a / b and a mod b, rounded down.
constexpr int64_t floor_div(int64_t a, int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }
constexpr int64_t floor_to(int64_t a, int64_t b) { return floor_div(a, b) * b; }

// A time with Z or an offset. A fraction beyond milliseconds is truncated.
std::optional<int64_t> parse_time(std::string_view text);
// "2025-10-03": the beginning of the day.
std::optional<int64_t> parse_date(std::string_view text);
// "2025-10-03-14": the beginning of the hour.
std::optional<int64_t> parse_hour(std::string_view text);
// "22:00": minutes since midnight.
std::optional<int> parse_minute_of_day(std::string_view text);
// A time, a date or an hour, as above.
std::optional<int64_t> parse_any_time(std::string_view text);

// A time outside kTimeMinMs and kTimeMaxMs is clamped. It is truncated to a multiple of `resolution_ms`; below a second
// it is written with milliseconds.
void append_time(std::string& out, int64_t unix_ms, int64_t resolution_ms);
std::string time_text(int64_t unix_ms, int64_t resolution_ms);
std::string date_text(int64_t unix_ms);
std::string hour_text(int64_t unix_ms);

// A number as a time: seconds, or milliseconds if it is too large for seconds (1E11 and more).
std::optional<int64_t> time_of_number(std::string_view canonical);

}  // namespace trestle::runtime
