#include "runtime/values/moment.h"

#include <algorithm>
#include <charconv>

#include "base/ascii.h"
#include "model/number.h"

namespace trestle::runtime {
namespace {

// Removes exactly `count` digits from the front.
bool take_digits(std::string_view& text, size_t count, int& value) {
  if (text.size() < count) return false;
  value = 0;
  for (size_t i = 0; i < count; ++i) {
    if (!is_digit(text[i])) return false;
    value = value * 10 + (text[i] - '0');
  }
  text.remove_prefix(count);
  return true;
}

bool take(std::string_view& text, char c) {
  if (text.empty() || text[0] != c) return false;
  text.remove_prefix(1);
  return true;
}

bool is_leap(int64_t year) { return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0); }

int days_in_month(int64_t year, int month) {
  constexpr int kDays[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  return month == 2 && is_leap(year) ? 29 : kDays[month - 1];
}

// Removes "2025-10-03" from the front, as days.
bool take_date(std::string_view& text, int64_t& days) {
  int year = 0, month = 0, day = 0;
  if (!take_digits(text, 4, year) || !take(text, '-') || !take_digits(text, 2, month) || !take(text, '-') ||
      !take_digits(text, 2, day))
    return false;
  if (month < 1 || month > 12 || day < 1 || day > days_in_month(year, month)) return false;
  days = days_of({.year = year, .month = month, .day = day});
  return true;
}

bool take_offset(std::string_view& text, int64_t& offset_ms) {
  offset_ms = 0;
  if (take(text, 'Z') || take(text, 'z')) return true;
  const bool west = !text.empty() && text[0] == '-';
  if (!west && (text.empty() || text[0] != '+')) return false;
  text.remove_prefix(1);
  int hours = 0, minutes = 0;
  if (!take_digits(text, 2, hours)) return false;
  take(text, ':');
  if (!text.empty() && !take_digits(text, 2, minutes)) return false;
  if (hours > 23 || minutes > 59) return false;
  offset_ms = (hours * kHourMs + minutes * kMinuteMs) * (west ? -1 : 1);
  return true;
}

void append_padded(std::string& out, int64_t value, size_t width) {
  char digits[20];
  const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
  const auto length = static_cast<size_t>(end - digits);
  if (length < width) out.append(width - length, '0');
  out.append(digits, length);
}

void append_date(std::string& out, int64_t days) {
  const CivilDate date = date_of(days);
  append_padded(out, date.year, 4);
  out.push_back('-');
  append_padded(out, date.month, 2);
  out.push_back('-');
  append_padded(out, date.day, 2);
}

}  // namespace

// Howard Hinnant's algorithms: the year begins in March, so that the leap day is its last day.
int64_t days_of(CivilDate date) {
  const int64_t year = date.year - (date.month <= 2 ? 1 : 0);
  const int64_t era = floor_div(year, 400);
  const int64_t year_of_era = year - era * 400;
  const int64_t day_of_year = (153 * (date.month + (date.month > 2 ? -3 : 9)) + 2) / 5 + date.day - 1;
  return era * 146'097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719'468;
}

CivilDate date_of(int64_t days) {
  days += 719'468;
  const int64_t era = floor_div(days, 146'097);
  const int64_t day_of_era = days - era * 146'097;
  const int64_t year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36'524 - day_of_era / 146'096) / 365;
  const int64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const int64_t shifted_month = (5 * day_of_year + 2) / 153;
  const int month = static_cast<int>(shifted_month < 10 ? shifted_month + 3 : shifted_month - 9);
  return {.year = year_of_era + era * 400 + (month <= 2 ? 1 : 0),
          .month = month,
          .day = static_cast<int>(day_of_year - (153 * shifted_month + 2) / 5 + 1)};
}

int weekday_of(int64_t days) { return static_cast<int>(((days + 3) % 7 + 7) % 7); }

std::optional<int64_t> parse_time(std::string_view text) {
  int64_t days = 0, offset_ms = 0;
  int hour = 0, minute = 0, second = 0, ms = 0;
  if (!take_date(text, days) || (!take(text, 'T') && !take(text, 't'))) return std::nullopt;
  if (!take_digits(text, 2, hour) || !take(text, ':') || !take_digits(text, 2, minute)) return std::nullopt;
  if (take(text, ':')) {
    if (!take_digits(text, 2, second)) return std::nullopt;
    if (take(text, '.') || take(text, ',')) {
      size_t count = 0;
      for (; count < text.size() && is_digit(text[count]); ++count) {
        if (count < 3) ms = ms * 10 + (text[count] - '0');
      }
      if (count == 0 || count > 18) return std::nullopt;
      for (size_t i = count; i < 3; ++i) ms *= 10;
      text.remove_prefix(count);
    }
  }
  if (hour > 23 || minute > 59 || second > 59) return std::nullopt;
  if (!take_offset(text, offset_ms) || !text.empty()) return std::nullopt;
  const int64_t result = days * kDayMs + hour * kHourMs + minute * kMinuteMs + second * 1000 + ms - offset_ms;
  if (result < kTimeMinMs || result > kTimeMaxMs) return std::nullopt;
  return result;
}

std::optional<int64_t> parse_date(std::string_view text) {
  int64_t days = 0;
  if (!take_date(text, days) || !text.empty()) return std::nullopt;
  return days * kDayMs;
}

std::optional<int64_t> parse_hour(std::string_view text) {
  int64_t days = 0;
  int hour = 0;
  if (!take_date(text, days) || !take(text, '-') || !take_digits(text, 2, hour) || !text.empty() || hour > 23)
    return std::nullopt;
  return days * kDayMs + hour * kHourMs;
}

std::optional<int> parse_minute_of_day(std::string_view text) {
  int hour = 0, minute = 0;
  if (!take_digits(text, 2, hour) || !take(text, ':') || !take_digits(text, 2, minute) || !text.empty())
    return std::nullopt;
  if (hour > 23 || minute > 59) return std::nullopt;
  return hour * 60 + minute;
}

std::optional<int64_t> parse_any_time(std::string_view text) {
  if (text.size() < 10 || !is_digit(text[0])) return std::nullopt;
  if (text.size() == 10) return parse_date(text);
  if (text.size() == 13 && text[10] == '-') return parse_hour(text);
  return parse_time(text);
}

void append_time(std::string& out, int64_t unix_ms, int64_t resolution_ms) {
  unix_ms = floor_to(std::clamp(unix_ms, kTimeMinMs, kTimeMaxMs), resolution_ms);
  const int64_t days = floor_div(unix_ms, kDayMs);
  const int64_t rest = unix_ms - days * kDayMs;
  append_date(out, days);
  out.push_back('T');
  append_padded(out, rest / kHourMs, 2);
  out.push_back(':');
  append_padded(out, rest / kMinuteMs % 60, 2);
  out.push_back(':');
  append_padded(out, rest / 1000 % 60, 2);
  if (resolution_ms < 1000) {
    out.push_back('.');
    append_padded(out, rest % 1000, 3);
  }
  out.push_back('Z');
}

std::string time_text(int64_t unix_ms, int64_t resolution_ms) {
  std::string out;
  append_time(out, unix_ms, resolution_ms);
  return out;
}

std::string date_text(int64_t unix_ms) {
  std::string out;
  append_date(out, floor_div(std::clamp(unix_ms, kTimeMinMs, kTimeMaxMs), kDayMs));
  return out;
}

std::string hour_text(int64_t unix_ms) {
  unix_ms = std::clamp(unix_ms, kTimeMinMs, kTimeMaxMs);
  std::string out = date_text(unix_ms);
  out.push_back('-');
  append_padded(out, (unix_ms - floor_to(unix_ms, kDayMs)) / kHourMs, 2);
  return out;
}

std::optional<int64_t> time_of_number(std::string_view canonical) {
  std::string_view integer = canonical.substr(0, canonical.find('.'));
  int64_t value = 0;
  const auto [end, error] = std::from_chars(integer.data(), integer.data() + integer.size(), value);
  if (error != std::errc() || end != integer.data() + integer.size()) return std::nullopt;
  constexpr int64_t kSecondsMax = 100'000'000'000;
  const bool seconds = value < kSecondsMax && value > -kSecondsMax;
  const int64_t ms = seconds ? value * 1000 : value;
  if (ms < kTimeMinMs || ms > kTimeMaxMs) return std::nullopt;
  return ms;
}

}  // namespace trestle::runtime
