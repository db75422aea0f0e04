#include "copy/rate.h"

#include <gtest/gtest.h>

#include "copy/patience.h"

namespace trestle::copy {
namespace {

using std::chrono::milliseconds;

TEST(Rate, takers_follow_each_other_as_the_rate_says) {
  Rate rate(100);
  const Rate::Time now = Rate::Time() + std::chrono::hours(1);
  EXPECT_EQ(rate.reserve(10, now), milliseconds(0));
  EXPECT_EQ(rate.reserve(25, now), milliseconds(100));
  EXPECT_EQ(rate.reserve(1, now), milliseconds(350));
  EXPECT_EQ(rate.reserve(1, now + milliseconds(360)), milliseconds(0));
}

TEST(Rate, unused_rate_does_not_accumulate) {
  Rate rate(100);
  const Rate::Time now = Rate::Time() + std::chrono::hours(1);
  EXPECT_EQ(rate.reserve(1, now + std::chrono::hours(1)), milliseconds(0));
  EXPECT_EQ(rate.reserve(100, now + std::chrono::hours(1)), milliseconds(10));
}

TEST(Rate, later_takers_make_up_for_what_cost_more) {
  Rate rate(100);
  const Rate::Time now = Rate::Time() + std::chrono::hours(1);
  EXPECT_EQ(rate.reserve(10, now), milliseconds(0));
  rate.correct(20);
  EXPECT_EQ(rate.reserve(1, now), milliseconds(300));
}

TEST(Rate, no_limit_never_waits) {
  Rate rate(0);
  const Rate::Time now = Rate::Time() + std::chrono::hours(1);
  EXPECT_EQ(rate.reserve(1e9, now), milliseconds(0));
  EXPECT_EQ(rate.reserve(1, now), milliseconds(0));
}

TEST(Rate, a_stop_ends_the_wait) {
  Rate rate(0.001);
  Stop stop;
  EXPECT_TRUE(rate.take(1, stop));
  stop.request();
  EXPECT_FALSE(rate.take(1, stop));
}

TEST(Patience, transient_errors_are_retried_and_others_are_not) {
  const Patience patience{.longest_ms = 10'000, .backoff = {.base_ms = 1, .cap_ms = 1}};
  const Stop stop;
  int calls = 0;
  const auto throttled = with_retries(patience, stop, [&]() -> Result<int> {
    if (++calls < 4) return failure(ErrorCode::kThrottling, "slow down");
    return calls;
  });
  EXPECT_EQ(throttled.value(), 4);
  calls = 0;
  const auto wrong = with_retries(patience, stop, [&]() -> Result<int> {
    ++calls;
    return invalid("no");
  });
  EXPECT_FALSE(wrong.has_value());
  EXPECT_EQ(calls, 1);
}

TEST(Patience, ends_when_it_lasted_long_enough_or_is_stopped) {
  Stop stop;
  int calls = 0;
  const auto call = [&]() -> Result<int> {
    ++calls;
    return failure(ErrorCode::kServiceUnavailable, "down");
  };
  EXPECT_FALSE(with_retries({.longest_ms = -1}, stop, call).has_value());
  EXPECT_EQ(calls, 1);
  stop.request();
  EXPECT_FALSE(with_retries({.longest_ms = 60'000}, stop, call).has_value());
  EXPECT_EQ(calls, 2);
}

}  // namespace
}  // namespace trestle::copy
