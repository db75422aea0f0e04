#include "runtime/values/schedule.h"

#include <algorithm>
#include <map>

#include "runtime/values/moment.h"
#include "runtime/values/time_zone.h"

namespace trestle::runtime {
namespace {

using Kind = Plain::Kind;

struct Interval {
  int64_t begin_ms;
  int64_t end_ms;
};

// Windows repeat weekly, so most ends are within this time. A longer interval can end only at a clock change.
constexpr int64_t kDaysAhead = 9;
// Clocks change within a year or never, so a longer interval has no end.
constexpr int64_t kDaysAheadMost = 400;

struct Window {
  int start;  // minutes of the day
  int end;    // later than the start, so possibly on the next day
  bool days[7];
};

std::optional<Window> read_window(const Plain& window_map, const ScheduleNames& names) {
  const Plain& start = window_map.member(names.start);
  const Plain& end = window_map.member(names.end);
  if (!start.is(Kind::kText) || !end.is(Kind::kText)) return std::nullopt;
  const auto from = parse_minute_of_day(start.string()), to = parse_minute_of_day(end.string());
  if (!from || !to) return std::nullopt;
  constexpr int kDay = 24 * 60;
  Window window{.start = *from, .end = *to > *from ? *to : *to + kDay, .days = {}};
  const Plain& days = window_map.member(names.days);
  const bool listed = (days.is(Kind::kList) || days.is(Kind::kSet)) && !days.elements().empty();
  constexpr std::string_view kNames[] = {"MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN"};
  for (size_t i = 0; i < 7; ++i) {
    window.days[i] = !listed;
    for (size_t j = 0; listed && j < days.elements().size(); ++j) {
      window.days[i] |= days.elements()[j].is(Kind::kText) && days.elements()[j].string() == kNames[i];
    }
  }
  return window;
}

// The intervals around `at_ms` in which a window of the row applies.
std::vector<Interval> intervals_of(const Plain& row, const ScheduleNames& names, int64_t at_ms, std::string_view zone,
                                   int64_t days_ahead) {
  std::vector<Interval> out;
  const Plain& windows = row.member(names.windows);
  if (!windows.is(Kind::kList)) return out;
  std::vector<Window> read;
  for (const Plain& window : windows.elements()) {
    if (const auto valid = read_window(window, names)) read.push_back(*valid);
  }
  each_stretch(zone, at_ms - 3 * kDayMs, at_ms + days_ahead * kDayMs, [&](const ZoneStretch& stretch) {
    // The local days whose windows can overlap the stretch, beginning with the day before its first.
    const int64_t first = floor_div(stretch.begin_ms + stretch.offset_ms, kDayMs) - 1;
    const int64_t last = floor_div(stretch.end_ms + stretch.offset_ms, kDayMs);
    for (int64_t day = first; day <= last; ++day) {
      for (const Window& window : read) {
        if (!window.days[weekday_of(day)]) continue;
        const int64_t midnight = day * kDayMs - stretch.offset_ms;
        const int64_t begin = std::max(midnight + window.start * kMinuteMs, stretch.begin_ms);
        const int64_t end = std::min(midnight + window.end * kMinuteMs, stretch.end_ms);
        if (begin < end) out.push_back({begin, end});
      }
    }
  });
  return out;
}

// The end of the merged interval that contains `at_ms`; nothing if there is none.
std::optional<int64_t> end_at(std::vector<Interval>& intervals, int64_t at_ms) {
  std::sort(intervals.begin(), intervals.end(), [](auto& a, auto& b) { return a.begin_ms < b.begin_ms; });
  std::optional<int64_t> end;
  for (const Interval& interval : intervals) {
    if (end ? interval.begin_ms > *end : interval.begin_ms > at_ms) break;
    if (interval.end_ms > end.value_or(at_ms)) end = interval.end_ms;
  }
  return end;
}

using Things = std::map<std::string, std::vector<Interval>, std::less<>>;

// The intervals of each thing, from all rows.
Things intervals_by_thing(const Plain& rows, const ScheduleNames& names, int64_t at_ms, std::string_view zone,
                          int64_t days_ahead) {
  Things intervals_of_thing;
  if (!rows.is(Kind::kList)) return intervals_of_thing;
  for (const Plain& row : rows.elements()) {
    const Plain& own = row.member(names.zone);
    const std::string_view in = !zone.empty() ? zone : own.is(Kind::kText) ? std::string_view(own.string()) : "UTC";
    const Plain& things = row.member(names.things);
    if (!things.is(Kind::kList) && !things.is(Kind::kSet)) continue;
    if (things.elements().empty()) continue;
    const std::vector<Interval> intervals = intervals_of(row, names, at_ms, in, days_ahead);
    if (intervals.empty()) continue;
    for (const Plain& thing : things.elements()) {
      const Plain& name = thing.is(Kind::kText) ? thing : thing.member(names.name);
      if (!name.is(Kind::kText)) continue;
      auto& all = intervals_of_thing[name.string()];
      all.insert(all.end(), intervals.begin(), intervals.end());
    }
  }
  return intervals_of_thing;
}

}  // namespace

ScheduleNames schedule_names(const Plain& names) {
  ScheduleNames out;
  for (const auto& [role, name] :
       {std::pair("windows", &out.windows), std::pair("start", &out.start), std::pair("end", &out.end),
        std::pair("days", &out.days), std::pair("zone", &out.zone), std::pair("things", &out.things),
        std::pair("name", &out.name)}) {
    if (const Plain& member = names.member(role); member.is(Kind::kText)) *name = member.string();
  }
  return out;
}

Plain scheduled(const Plain& rows, int64_t at_ms, std::string_view zone, const ScheduleNames& names) {
  Things things = intervals_by_thing(rows, names, at_ms, zone, kDaysAhead);
  std::optional<Things> further;  // computed only if a thing has no end in the next days
  Plain::List out;
  for (auto& [name, intervals] : things) {
    auto end = end_at(intervals, at_ms);
    if (!end) continue;
    if (*end >= at_ms + kDaysAhead * kDayMs) {
      if (!further) further = intervals_by_thing(rows, names, at_ms, zone, kDaysAheadMost);
      end = end_at((*further)[name], at_ms);
    }
    const bool has_end = end && *end < at_ms + kDaysAheadMost * kDayMs;
    Plain blocked_app = Plain::map();
    blocked_app.set(names.name, Plain::text(name));
    blocked_app.set("until", has_end ? Plain::text(time_text(*end, 1000)) : Plain::null());
    out.push_back(std::move(blocked_app));
  }
  return Plain::list(std::move(out));
}

}  // namespace trestle::runtime
