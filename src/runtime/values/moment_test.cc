#include "runtime/values/moment.h"

#include <gtest/gtest.h>

#include <random>

#include "base/base64.h"
#include "runtime/values/ulid.h"

namespace trestle::runtime {
namespace {

TEST(Moment, times_are_read_with_offset_and_fraction) {
  EXPECT_EQ(parse_time("1970-01-01T00:00:00Z"), 0);
  EXPECT_EQ(parse_time("2025-10-03T14:30:00Z"), 1759501800000);
  EXPECT_EQ(parse_time("2025-10-03T16:30:00.25+02:00"), 1759501800250);
  EXPECT_EQ(parse_time("2025-10-03T09:00:00-0530"), 1759501800000);
  EXPECT_EQ(parse_time("2025-10-03T16:30+02"), 1759501800000);
  EXPECT_EQ(parse_time("2025-10-03t14:30:00.123456789z"), 1759501800123);
  EXPECT_EQ(parse_time("1969-12-31T23:59:59.999Z"), -1);
  EXPECT_EQ(parse_time("2024-02-29T00:00:00Z"), 1709164800000);
}

TEST(Moment, what_does_not_exist_is_refused) {
  for (const char* text : {"",
                           "2025",
                           "2025-13-01T00:00:00Z",
                           "2025-00-01T00:00:00Z",
                           "2025-02-30T00:00:00Z",
                           "2025-02-29T00:00:00Z",
                           "2100-02-29T00:00:00Z",
                           "2025-04-31T00:00:00Z",
                           "2025-01-00T00:00:00Z",
                           "2025-01-01T24:00:00Z",
                           "2025-01-01T00:60:00Z",
                           "2025-01-01T00:00:60Z",
                           "2025-01-01T00:00:00",
                           "2025-01-01 00:00:00Z",
                           "2025-01-01T00:00:00.Z",
                           "2025-01-01T00:00:00Zx",
                           "2025-1-01T00:00:00Z",
                           "25-01-01T00:00:00Z",
                           "2025-01-01T00:00:00+24:00",
                           "2025-01-01T00:00:00+01:60",
                           "0000-01-01T00:00:00+01:00",
                           "9999-12-31T23:59:59-00:01",
                           "2025-01-01",
                           "+025-01-01T00:00:00Z"}) {
    EXPECT_FALSE(parse_time(text).has_value()) << text;
  }
  EXPECT_FALSE(parse_date("2025-02-30"));
  EXPECT_FALSE(parse_date("2025-10-03T"));
  EXPECT_FALSE(parse_hour("2025-10-03-24"));
  EXPECT_FALSE(parse_minute_of_day("24:00"));
  EXPECT_FALSE(parse_minute_of_day("7:00"));
}

TEST(Moment, texts_have_the_resolution_of_their_type) {
  const int64_t at = 1759501859250;
  EXPECT_EQ(time_text(at, 1000), "2025-10-03T14:30:59Z");
  EXPECT_EQ(time_text(at, 1), "2025-10-03T14:30:59.250Z");
  EXPECT_EQ(time_text(at, 60000), "2025-10-03T14:30:00Z");
  EXPECT_EQ(date_text(at), "2025-10-03");
  EXPECT_EQ(hour_text(at), "2025-10-03-14");
  EXPECT_EQ(time_text(-1, 1000), "1969-12-31T23:59:59Z");
  EXPECT_EQ(hour_text(-1), "1969-12-31-23");
}

TEST(Moment, every_time_comes_back) {
  const unsigned seed = std::random_device{}();
  std::mt19937_64 random(seed);
  std::uniform_int_distribution<int64_t> any(kTimeMinMs, kTimeMaxMs);
  for (int i = 0; i < 20000; ++i) {
    const int64_t at = any(random);
    ASSERT_EQ(parse_time(time_text(at, 1)), at) << "seed " << seed;
    ASSERT_EQ(parse_time(time_text(at, 1000)), floor_to(at, 1000)) << "seed " << seed;
    ASSERT_EQ(parse_date(date_text(at)), floor_to(at, kDayMs)) << "seed " << seed;
    ASSERT_EQ(parse_hour(hour_text(at)), floor_to(at, kHourMs)) << "seed " << seed;
  }
}

TEST(Moment, days_and_weekdays) {
  EXPECT_EQ(days_of({.year = 2000, .month = 3, .day = 1}), 11017);
  EXPECT_EQ(weekday_of(0), 3);                                               // a Thursday
  EXPECT_EQ(weekday_of(days_of({.year = 2025, .month = 10, .day = 6})), 0);  // a Monday
  EXPECT_EQ(weekday_of(-4), 6);
}

TEST(Moment, numbers_are_seconds_or_milliseconds) {
  EXPECT_EQ(time_of_number("1759501800"), 1759501800000);
  EXPECT_EQ(time_of_number("1759501800.75"), 1759501800000);
  EXPECT_EQ(time_of_number("1759501800250"), 1759501800250);
  EXPECT_FALSE(time_of_number("100000000000000000000"));
}

TEST(Ulid, ids_ascend_and_tell_their_time) {
  std::string before = make_ulid(1759501800250);
  EXPECT_TRUE(is_ulid(before));
  EXPECT_EQ(ulid_time(before), 1759501800250);
  for (int i = 0; i < 1000; ++i) {
    std::string next = make_ulid(1759501800250 - i % 3);
    ASSERT_LT(before, next);
    before = std::move(next);
  }
  EXPECT_GT(make_ulid(1759501800251), before);
  EXPECT_EQ(ulid_time(make_ulid(1759501000000)), 1759501000000) << "a clock that was set back is believed";
}

TEST(Ulid, an_invalid_ulid_is_refused) {
  EXPECT_TRUE(is_ulid("01ARZ3NDEKTSV4RRFFQ69G5FAV"));
  EXPECT_EQ(ulid_time("01ARZ3NDEKTSV4RRFFQ69G5FAV"), 1469922850259);
  for (const char* text : {"", "01ARZ3NDEKTSV4RRFFQ69G5FA", "01ARZ3NDEKTSV4RRFFQ69G5FAVX", "81ARZ3NDEKTSV4RRFFQ69G5FAV",
                           "01arz3ndektsv4rrffq69g5fav", "01ARZ3NDEKTSV4RRFFQ69G5FAU", "01ARZ3NDEKTSV4RRFFQ69G5FAI"}) {
    EXPECT_FALSE(is_ulid(text)) << text;
  }
}

TEST(Base64, bytes_come_back) {
  const unsigned seed = std::random_device{}();
  std::mt19937 random(seed);
  for (size_t length = 0; length < 70; ++length) {
    std::string bytes;
    for (size_t i = 0; i < length; ++i) bytes.push_back(static_cast<char>(random()));
    ASSERT_EQ(base64_bytes(base64_text(bytes)), bytes) << "seed " << seed;
    ASSERT_TRUE(is_base64url(base64url_text(bytes))) << "seed " << seed;
    ASSERT_EQ(base64url_text(bytes).size(), base64url_length(length));
  }
  for (const char* text : {"A", "AA", "AAA", "A===", "AB==", "AAB=", "AA-=", "A=AA", "====", "AAAA\n"})
    EXPECT_FALSE(base64_bytes(text)) << text;
  EXPECT_EQ(make_token(24).size(), 32u);
  EXPECT_NE(make_token(24), make_token(24));
}

}  // namespace
}  // namespace trestle::runtime
