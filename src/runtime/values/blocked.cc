#include "runtime/values/blocked.h"

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

// Windows repeat by the week, so most ends lie within this; only a change of the clocks can end what goes on for
// longer.
constexpr int64_t kDaysAhead = 9;
// Clocks change within a year or never: what goes on for longer than this has no end.
constexpr int64_t kDaysAheadMost = 400;

struct Window {
  int start;  // minutes of the day
  int end;    // after the start, so up to twice a day's
  bool days[7];
};

std::optional<Window> read_window(const Plain& given) {
  const Plain& start = given.member("startTime");
  const Plain& end = given.member("endTime");
  if (!start.is(Kind::kText) || !end.is(Kind::kText)) return std::nullopt;
  const auto from = parse_minute_of_day(start.string()), to = parse_minute_of_day(end.string());
  if (!from || !to) return std::nullopt;
  constexpr int kDay = 24 * 60;
  Window window{.start = *from, .end = *to > *from ? *to : *to + kDay, .days = {}};
  const Plain& days = given.member("days");
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

// Every stretch of time around `at` in which a window of the policy holds.
std::vector<Interval> intervals_of(const Plain& policy, int64_t at_ms, std::string_view zone, int64_t days_ahead) {
  std::vector<Interval> out;
  const Plain& windows = policy.member("timeWindows");
  if (!windows.is(Kind::kList)) return out;
  std::vector<Window> read;
  for (const Plain& window : windows.elements()) {
    if (auto made = read_window(window)) read.push_back(*made);
  }
  each_stretch(zone, at_ms - 3 * kDayMs, at_ms + days_ahead * kDayMs, [&](const ZoneStretch& stretch) {
    // Local days whose windows can touch the stretch: from the day before its first.
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

// When what holds at `at` ends; nothing if nothing holds.
std::optional<int64_t> end_at(std::vector<Interval>& intervals, int64_t at_ms) {
  std::sort(intervals.begin(), intervals.end(), [](auto& a, auto& b) { return a.begin_ms < b.begin_ms; });
  std::optional<int64_t> end;
  for (const Interval& interval : intervals) {
    if (end ? interval.begin_ms > *end : interval.begin_ms > at_ms) break;
    if (interval.end_ms > end.value_or(at_ms)) end = interval.end_ms;
  }
  return end;
}

using Apps = std::map<std::string, std::vector<Interval>, std::less<>>;

// The stretches in which each application is blocked by one of the policies.
Apps blocked_apps(const Plain& policies, int64_t at_ms, std::string_view zone, int64_t days_ahead) {
  Apps apps;
  if (!policies.is(Kind::kList)) return apps;
  for (const Plain& policy : policies.elements()) {
    const Plain& status = policy.member("status");
    if (status.is(Kind::kText) && status.string() != "active") continue;
    const Plain& own = policy.member("timezone");
    const std::string_view in = !zone.empty() ? zone : own.is(Kind::kText) ? std::string_view(own.string()) : "UTC";
    const Plain& blocks = policy.member("blockedApps");
    if (!blocks.is(Kind::kList) || blocks.elements().empty()) continue;
    const std::vector<Interval> intervals = intervals_of(policy, at_ms, in, days_ahead);
    if (intervals.empty()) continue;
    for (const Plain& app : blocks.elements()) {
      const Plain& name = app.is(Kind::kText) ? app : app.member("appName");
      if (!name.is(Kind::kText)) continue;
      auto& all = apps[name.string()];
      all.insert(all.end(), intervals.begin(), intervals.end());
    }
  }
  return apps;
}

}  // namespace

Plain blocked(const Plain& policies, int64_t at_ms, std::string_view zone) {
  Apps apps = blocked_apps(policies, at_ms, zone, kDaysAhead);
  std::optional<Apps> further;  // looked at only if one has no end in the next days
  Plain::List out;
  for (auto& [name, intervals] : apps) {
    auto end = end_at(intervals, at_ms);
    if (!end) continue;
    if (*end >= at_ms + kDaysAhead * kDayMs) {
      if (!further) further = blocked_apps(policies, at_ms, zone, kDaysAheadMost);
      end = end_at((*further)[name], at_ms);
    }
    const bool has_end = end && *end < at_ms + kDaysAheadMost * kDayMs;
    Plain one = Plain::map();
    one.set("appName", Plain::text(name));
    one.set("until", has_end ? Plain::text(time_text(*end, 1000)) : Plain::null());
    out.push_back(std::move(one));
  }
  return Plain::list(std::move(out));
}

}  // namespace trestle::runtime
