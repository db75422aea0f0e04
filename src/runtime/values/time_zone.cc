#include "runtime/values/time_zone.h"

#include <date/tz.h>

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <string>

#include "runtime/values/moment.h"

namespace trestle::runtime {
namespace {

// The last year for which zone files list the transitions.
constexpr int64_t kWrittenYears = 2037;

// Null if there is no such zone. Catches the exceptions of the library.
const date::time_zone* find_zone(std::string_view name) {
  if (name.empty() || name.size() > 64) return nullptr;
  for (const char c : name) {
    const bool allowed = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '/' ||
                         c == '_' || c == '+' || c == '-';
    if (!allowed) return nullptr;
  }
  try {
    return date::locate_zone(name);
  } catch (const std::exception&) {
    return nullptr;
  }
}

// The distance to an earlier year with the same calendar (leap year, first weekday) whose transitions are listed.
int64_t years_back_ms(int64_t unix_ms) {
  const int64_t year = date_of(floor_div(unix_ms, kDayMs)).year;
  if (year <= kWrittenYears) return 0;
  const int64_t start = days_of({.year = year});
  const int64_t length = days_of({.year = year + 1}) - start;
  for (int64_t earlier = kWrittenYears;; --earlier) {
    const int64_t other = days_of({.year = earlier});
    if (weekday_of(other) == weekday_of(start) && days_of({.year = earlier + 1}) - other == length)
      return (start - other) * kDayMs;
  }
}

}  // namespace

bool is_time_zone(std::string_view name) { return name == "UTC" || find_zone(name) != nullptr; }

bool each_stretch(std::string_view zone, int64_t from_ms, int64_t to_ms,
                  const std::function<void(ZoneStretch)>& visit) {
  if (zone == "UTC") {
    visit({.begin_ms = from_ms, .end_ms = to_ms, .offset_ms = 0});
    return true;
  }
  const date::time_zone* found = find_zone(zone);
  if (found == nullptr) return false;
  for (int64_t at = from_ms; at < to_ms;) {
    const int64_t back = years_back_ms(at);
    const auto info = [&]() -> ZoneStretch {
      try {
        const auto known = found->get_info(date::sys_seconds(std::chrono::seconds(floor_div(at - back, 1000))));
        return {.begin_ms = at,
                .end_ms = std::chrono::seconds(known.end.time_since_epoch()).count() >= kTimeMaxMs / 1000
                              ? kTimeMaxMs
                              : known.end.time_since_epoch().count() * 1000 + back,
                .offset_ms = known.offset.count() * 1000};
      } catch (const std::exception&) {  // the zone file is damaged
        return {.begin_ms = at, .end_ms = kTimeMaxMs, .offset_ms = 0};
      }
    }();
    ZoneStretch stretch = info;
    // The next year may have another calendar, so a stretch that was looked up in an earlier year ends with its year.
    const int64_t year = date_of(floor_div(at, kDayMs)).year;
    if (year >= kWrittenYears) stretch.end_ms = std::min(stretch.end_ms, days_of({.year = year + 1}) * kDayMs);
    stretch.end_ms = std::min(std::max(stretch.end_ms, at + 1000), to_ms);
    visit(stretch);
    at = stretch.end_ms;
  }
  return true;
}

}  // namespace trestle::runtime
