#include "policy/moment_text.h"

#include <fmt/format.h>

#include <charconv>
#include <chrono>

namespace trestle {
namespace {

// Removes a number with exactly `digits` digits from the front.
bool take_number(std::string_view& text, size_t digits, int& number) {
  if (text.size() < digits) return false;
  const auto [end, error] = std::from_chars(text.data(), text.data() + digits, number);
  if (error != std::errc{} || end != text.data() + digits || number < 0) return false;
  text.remove_prefix(digits);
  return true;
}

bool take(std::string_view& text, char c) {
  if (text.empty() || text.front() != c) return false;
  text.remove_prefix(1);
  return true;
}

std::optional<int64_t> read_seconds(std::string_view text) {
  int64_t seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (error != std::errc{} || end != text.data() + text.size() || seconds > INT64_MAX / 1000) return std::nullopt;
  return seconds * 1000;
}

// Reads the digits of a fraction of a second. Digits beyond milliseconds are ignored.
bool take_fraction_ms(std::string_view& text, int64_t& ms) {
  int64_t unit = 100;
  if (text.empty() || text.front() < '0' || text.front() > '9') return false;
  while (!text.empty() && text.front() >= '0' && text.front() <= '9') {
    ms += (text.front() - '0') * unit;
    unit /= 10;
    text.remove_prefix(1);
  }
  return true;
}

// Reads a time zone: "Z" or "+01:00". No zone means UTC.
bool take_zone(std::string_view& text, int64_t& ms) {
  if (text.empty() || take(text, 'Z')) return true;
  const bool east = take(text, '+');
  if (!east && !take(text, '-')) return false;
  int hours = 0;
  int minutes = 0;
  if (!take_number(text, 2, hours)) return false;
  take(text, ':');
  if (!text.empty() && !take_number(text, 2, minutes)) return false;
  const int64_t offset_ms = (int64_t{hours} * 60 + minutes) * 60'000;
  ms += east ? -offset_ms : offset_ms;
  return true;
}

}  // namespace

std::optional<int64_t> read_moment_ms(std::string_view text) {
  if (text.find('-', 1) == std::string_view::npos) return read_seconds(text);
  int year = 0;
  int month = 0;
  int day = 0;
  if (!take_number(text, 4, year) || !take(text, '-') || !take_number(text, 2, month) || !take(text, '-') ||
      !take_number(text, 2, day)) {
    return std::nullopt;
  }
  using namespace std::chrono;
  const year_month_day date{std::chrono::year(year), std::chrono::month(static_cast<unsigned>(month)),
                            std::chrono::day(static_cast<unsigned>(day))};
  if (!date.ok()) return std::nullopt;
  int64_t ms = duration_cast<milliseconds>(sys_days(date).time_since_epoch()).count();
  if (text.empty()) return ms;
  int hour = 0;
  int minute = 0;
  int second = 0;
  if (!take(text, 'T') || !take_number(text, 2, hour) || !take(text, ':') || !take_number(text, 2, minute)) {
    return std::nullopt;
  }
  if (take(text, ':') && !take_number(text, 2, second)) return std::nullopt;
  if (hour > 23 || minute > 59 || second > 60) return std::nullopt;
  ms += ((int64_t{hour} * 60 + minute) * 60 + second) * 1000;
  if (take(text, '.') && !take_fraction_ms(text, ms)) return std::nullopt;
  if (!take_zone(text, ms) || !text.empty()) return std::nullopt;
  return ms;
}

}  // namespace trestle
