#include "runtime/values/schedule.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "runtime/values/moment.h"
#include "runtime/values/plain_json.h"
#include "runtime/values/time_zone.h"

namespace trestle::runtime {
namespace {

const ScheduleNames kNames{.windows = "timeWindows",
                           .start = "startTime",
                           .end = "endTime",
                           .zone = "timezone",
                           .things = "blockedApps",
                           .name = "appName"};

constexpr std::string_view kAllDays = R"("MON","TUE","WED","THU","FRI","SAT","SUN")";

std::string window(std::string_view start, std::string_view end, std::string_view days = kAllDays) {
  return fmt::format(R"({{"startTime":"{}","endTime":"{}","days":[{}]}})", start, end, days);
}
std::string policy(std::string_view app, std::string_view windows, std::string_view more = "") {
  return fmt::format(R"({{"blockedApps":[{{"appName":"{}"}}],"timeWindows":[{}]{}}})", app, windows, more);
}
// The covered apps and their `until`, as JSON.
std::string at(std::string_view policies, std::string_view time, std::string_view zone = "") {
  const auto parsed = parse_plain_json(fmt::format("[{}]", policies));
  EXPECT_TRUE(parsed.has_value()) << policies;
  return plain_json(scheduled(parsed.value_or(Plain()), parse_time(time).value_or(0), zone, kNames));
}
std::string until(std::string_view windows, std::string_view time, std::string_view zone = "") {
  const auto parsed = parse_plain_json(fmt::format("[{}]", policy("A", windows)));
  const Plain found = scheduled(parsed.value_or(Plain()), parse_time(time).value_or(0), zone, kNames);
  if (found.elements().empty()) return "free";
  const Plain& end = found.elements()[0].member("until");
  return end.exists() ? end.string() : "always";
}

TEST(Scheduled, a_window_has_an_exclusive_end) {
  const std::string school = window("08:00", "15:00", R"("MON","TUE","WED","THU","FRI")");
  EXPECT_EQ(until(school, "2025-10-03T07:59:59Z"), "free");
  EXPECT_EQ(until(school, "2025-10-03T08:00:00Z"), "2025-10-03T15:00:00Z");
  EXPECT_EQ(until(school, "2025-10-03T14:59:59.999Z"), "2025-10-03T15:00:00Z");
  EXPECT_EQ(until(school, "2025-10-03T15:00:00Z"), "free");
  EXPECT_EQ(until(school, "2025-10-04T10:00:00Z"), "free") << "a Saturday";
}

TEST(Scheduled, a_window_across_midnight_belongs_to_the_day_it_starts_on) {
  const std::string friday = window("22:00", "06:00", R"("FRI")");
  EXPECT_EQ(until(friday, "2025-10-03T21:59:00Z"), "free");
  EXPECT_EQ(until(friday, "2025-10-03T23:00:00Z"), "2025-10-04T06:00:00Z");
  EXPECT_EQ(until(friday, "2025-10-04T05:59:00Z"), "2025-10-04T06:00:00Z");
  EXPECT_EQ(until(friday, "2025-10-04T06:00:00Z"), "free");
  EXPECT_EQ(until(friday, "2025-10-03T05:00:00Z"), "free") << "Thursday has no window";
}

TEST(Scheduled, windows_and_rows_that_overlap_or_touch_are_one) {
  EXPECT_EQ(until(window("08:00", "10:00") + "," + window("10:00", "12:00") + "," + window("11:00", "11:30"),
                  "2025-10-03T08:30:00Z"),
            "2025-10-03T12:00:00Z");
  EXPECT_EQ(until(window("22:00", "06:00") + "," + window("06:00", "07:00"), "2025-10-03T23:00:00Z"),
            "2025-10-04T07:00:00Z");
  const std::string two = policy("TikTok", window("08:00", "10:00")) + "," +
                          policy("TikTok", window("09:00", "11:00")) + "," + policy("App", window("09:00", "09:30"));
  EXPECT_EQ(at(two, "2025-10-03T09:15:00Z"), R"([{"appName":"App","until":"2025-10-03T09:30:00Z"},)"
                                             R"({"appName":"TikTok","until":"2025-10-03T11:00:00Z"}])");
}

TEST(Scheduled, a_block_of_months_ends_when_the_clocks_change) {
  // In winter, each window begins when the other ends. In summer, the second ends an hour earlier and leaves a gap.
  const std::string two = policy("A", window("00:00", "12:00"), R"(,"timezone":"UTC")") + "," +
                          policy("A", window("13:00", "01:00"), R"(,"timezone":"Europe/Berlin")");
  EXPECT_EQ(at(two, "2025-01-15T00:00:00Z"), R"([{"appName":"A","until":"2025-03-30T23:00:00Z"}])");
}

TEST(Scheduled, a_whole_day_and_always) {
  EXPECT_EQ(until(window("00:00", "00:00", R"("FRI")"), "2025-10-03T12:00:00Z"), "2025-10-04T00:00:00Z");
  EXPECT_EQ(until(window("00:00", "00:00"), "2025-10-03T12:00:00Z"), "always");
  EXPECT_EQ(until(window("00:00", "00:00"), "2025-03-29T12:00:00Z", "Europe/Berlin"), "always");
  EXPECT_EQ(until(window("22:00", "06:00", ""), "2025-10-03T23:00:00Z"), "2025-10-04T06:00:00Z")
      << "no days: every day";
}

TEST(Scheduled, a_row_without_windows_covers_nothing) {
  EXPECT_EQ(at("", "2025-10-03T09:15:00Z"), "[]");
  EXPECT_EQ(at(policy("A", ""), "2025-10-03T09:15:00Z"), "[]");
}

TEST(Scheduled, the_design_names_the_members) {
  const auto rows =
      parse_plain_json(R"([{"zone":"Europe/Berlin","windows":[{"start":"08:00","end":"09:00"}],"things":["a"]},
      {"open":[{"start":"06:00","end":"07:00"}],"things":[{"name":"b"}]}])");
  const int64_t at_ms = *parse_time("2025-07-01T06:30:00Z");
  EXPECT_EQ(plain_json(scheduled(*rows, at_ms, "", {})), R"([{"name":"a","until":"2025-07-01T07:00:00Z"}])");
  const auto names = parse_plain_json(R"({"windows":"open","unknown":"x"})");
  EXPECT_EQ(plain_json(scheduled(*rows, at_ms, "", schedule_names(*names))),
            R"([{"name":"b","until":"2025-07-01T07:00:00Z"}])");
}

TEST(Scheduled, zones_are_the_rows_unless_one_is_asked_for) {
  const std::string berlin = policy("A", window("08:00", "09:00"), R"(,"timezone":"Europe/Berlin")");
  EXPECT_EQ(at(berlin, "2025-07-01T06:30:00Z"), R"([{"appName":"A","until":"2025-07-01T07:00:00Z"}])");
  EXPECT_EQ(at(berlin, "2025-07-01T08:30:00Z"), "[]");
  EXPECT_EQ(at(berlin, "2025-07-01T08:30:00Z", "UTC"), R"([{"appName":"A","until":"2025-07-01T09:00:00Z"}])");
  EXPECT_EQ(at(berlin, "2025-07-01T02:30:00Z", "Asia/Kolkata"), R"([{"appName":"A","until":"2025-07-01T03:30:00Z"}])");
}

TEST(Scheduled, the_day_is_the_local_one) {
  // Friday 23:30 in New York is Saturday in UTC.
  EXPECT_EQ(until(window("23:00", "23:59", R"("FRI")"), "2025-10-04T03:30:00Z", "America/New_York"),
            "2025-10-04T03:59:00Z");
  EXPECT_EQ(until(window("23:00", "23:59", R"("SAT")"), "2025-10-04T03:30:00Z", "America/New_York"), "free");
}

struct Case {
  const char *start, *end, *zone, *at, *until;
};

TEST(Scheduled, daylight_saving) {
  const Case cases[] = {
      // Berlin, 30 March 2025: 02:00 becomes 03:00 at 01:00Z.
      {"22:00", "06:00", "Europe/Berlin", "2025-03-29T22:00:00Z", "2025-03-30T04:00:00Z"},
      {"01:30", "02:30", "Europe/Berlin", "2025-03-30T00:45:00Z", "2025-03-30T01:00:00Z"},
      {"02:00", "03:00", "Europe/Berlin", "2025-03-30T00:59:59Z", "free"},
      {"02:00", "03:00", "Europe/Berlin", "2025-03-30T01:00:00Z", "free"},
      {"02:30", "03:30", "Europe/Berlin", "2025-03-30T01:10:00Z", "2025-03-30T01:30:00Z"},
      {"02:30", "03:30", "Europe/Berlin", "2025-03-30T00:50:00Z", "free"},
      // Berlin, 26 October 2025: 03:00 becomes 02:00 at 01:00Z.
      {"22:00", "06:00", "Europe/Berlin", "2025-10-25T22:00:00Z", "2025-10-26T05:00:00Z"},
      {"02:00", "03:00", "Europe/Berlin", "2025-10-26T00:15:00Z", "2025-10-26T02:00:00Z"},
      {"02:00", "03:00", "Europe/Berlin", "2025-10-26T01:15:00Z", "2025-10-26T02:00:00Z"},
      {"02:00", "02:30", "Europe/Berlin", "2025-10-26T00:15:00Z", "2025-10-26T00:30:00Z"},
      {"02:00", "02:30", "Europe/Berlin", "2025-10-26T00:45:00Z", "free"},
      {"02:00", "02:30", "Europe/Berlin", "2025-10-26T01:15:00Z", "2025-10-26T01:30:00Z"},
      {"22:00", "02:30", "Europe/Berlin", "2025-10-26T01:15:00Z", "2025-10-26T01:30:00Z"},
      // New York, 9 March 2025: 02:00 becomes 03:00 at 07:00Z; 2 November: 02:00 becomes 01:00 at 06:00Z.
      {"22:00", "06:00", "America/New_York", "2025-03-09T05:00:00Z", "2025-03-09T10:00:00Z"},
      {"02:15", "02:45", "America/New_York", "2025-03-09T07:15:00Z", "free"},
      {"01:00", "02:00", "America/New_York", "2025-11-02T05:30:00Z", "2025-11-02T07:00:00Z"},
      {"01:00", "02:00", "America/New_York", "2025-11-02T06:30:00Z", "2025-11-02T07:00:00Z"},
      {"22:00", "06:00", "America/New_York", "2025-11-02T05:30:00Z", "2025-11-02T11:00:00Z"},
      // Kolkata has no daylight saving, and an offset with half an hour.
      {"22:00", "06:00", "Asia/Kolkata", "2025-03-30T00:29:59Z", "2025-03-30T00:30:00Z"},
      {"22:00", "06:00", "Asia/Kolkata", "2025-03-30T00:30:00Z", "free"},
      {"22:00", "06:00", "Asia/Kolkata", "2025-10-26T16:30:00Z", "2025-10-27T00:30:00Z"},
      // Long after the last transition in zone files.
      {"08:00", "09:00", "Europe/Berlin", "2055-07-01T06:30:00Z", "2055-07-01T07:00:00Z"},
      {"08:00", "09:00", "Europe/Berlin", "2055-01-05T07:30:00Z", "2055-01-05T08:00:00Z"},
      {"22:00", "06:00", "America/New_York", "2059-12-31T23:00:00-05:00", "2060-01-01T11:00:00Z"},
  };
  for (const Case& one : cases) {
    EXPECT_EQ(until(window(one.start, one.end), one.at, one.zone), one.until)
        << one.start << " to " << one.end << " in " << one.zone << " at " << one.at;
  }
}

TEST(TimeZone, names_are_exact) {
  for (const char* name :
       {"UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata", "America/Argentina/Buenos_Aires"})
    EXPECT_TRUE(is_time_zone(name)) << name;
  for (const char* name :
       {"", "Berlin", "europe/berlin", "../etc/passwd", "Europe/Berlin ", "Mars/Olympus", "/etc/localtime"})
    EXPECT_FALSE(is_time_zone(name)) << name;
}

TEST(TimeZone, stretches_cover_the_time_without_gap) {
  for (const char* zone : {"UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata", "Australia/Lord_Howe"}) {
    const int64_t from = *parse_date("2030-01-01"), to = *parse_date("2045-01-01");
    int64_t at = from;
    int changes = 0;
    int64_t offset = INT64_MIN;
    EXPECT_TRUE(each_stretch(zone, from, to, [&](ZoneStretch stretch) {
      EXPECT_EQ(stretch.begin_ms, at);
      EXPECT_LT(stretch.begin_ms, stretch.end_ms);
      at = stretch.end_ms;
      if (offset != INT64_MIN && offset != stretch.offset_ms) ++changes;
      offset = stretch.offset_ms;
    }));
    EXPECT_EQ(at, to) << zone;
    const bool saves = std::string_view(zone) != "UTC" && std::string_view(zone) != "Asia/Kolkata";
    EXPECT_EQ(changes, saves ? 30 : 0) << zone;
  }
}

}  // namespace
}  // namespace trestle::runtime
