#include "engine/indexes/top_keys.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <random>

namespace trestle {
namespace {

TEST(TopKeys, counts_are_exact_while_there_is_room) {
  TopKeys keys(3);
  for (const char* key : {"a", "b", "a", "c", "a", "b"}) keys.add(key);
  const auto top = keys.top(10);
  ASSERT_EQ(top.size(), 3u);
  EXPECT_EQ(top[0].key, "a");
  EXPECT_EQ(top[0].count, 3u);
  EXPECT_EQ(top[1].key, "b");
  EXPECT_EQ(top[2].key, "c");
  for (const auto& entry : top) EXPECT_EQ(entry.error, 0u);
  EXPECT_EQ(keys.total(), 6u);
}

TEST(TopKeys, a_new_key_takes_over_the_smallest_counter_with_its_error) {
  TopKeys keys(2);
  for (const char* key : {"a", "a", "b", "c"}) keys.add(key);
  const auto top = keys.top(2);
  ASSERT_EQ(keys.size(), 2u);
  EXPECT_EQ(top[0].key, "a");
  EXPECT_EQ(top[1].key, "c");
  EXPECT_EQ(top[1].count, 2u);
  EXPECT_EQ(top[1].error, 1u);
}

TEST(TopKeys, only_the_largest_are_reported) {
  TopKeys keys(8);
  for (int i = 0; i < 8; ++i) {
    for (int n = 0; n <= i; ++n) keys.add(std::to_string(i));
  }
  const auto top = keys.top(2);
  ASSERT_EQ(top.size(), 2u);
  EXPECT_EQ(top[0].key, "7");
  EXPECT_EQ(top[1].key, "6");
  EXPECT_TRUE(keys.top(0).empty());
}

// Compares with exact counts of random streams. No count is too low, none is too high by more than its error, the error
// is at most total / capacity, and no key with a higher count than that is missing.
TEST(TopKeys, bounds_hold_for_any_stream) {
  const uint64_t seed = std::random_device{}();
  std::mt19937_64 random(seed);
  for (int round = 0; round < 40; ++round) {
    const size_t capacity = 1 + random() % 60;
    const size_t kinds = 1 + random() % 500;
    const double skew = 0.5 + static_cast<double>(random() % 200) / 100;
    TopKeys keys(capacity);
    std::map<std::string, uint64_t> exact;
    for (int i = 0; i < 5000; ++i) {
      const double place = static_cast<double>(random() % 1'000'000) / 1e6;
      const std::string key =
          std::to_string(static_cast<size_t>(std::pow(place, skew * 2) * static_cast<double>(kinds)));
      keys.add(key);
      ++exact[key];
    }
    const auto top = keys.top(capacity);
    const uint64_t bound = keys.total() / capacity;
    std::map<std::string, uint64_t> reported;
    uint64_t sum = 0;
    for (size_t i = 0; i < top.size(); ++i) {
      const auto& entry = top[i];
      ASSERT_TRUE(reported.emplace(entry.key, entry.count).second) << entry.key << " twice, seed " << seed;
      ASSERT_GE(entry.count, exact[entry.key]) << "seed " << seed << " round " << round;
      ASSERT_LE(entry.count - entry.error, exact[entry.key]) << "seed " << seed << " round " << round;
      ASSERT_LE(entry.error, bound) << "seed " << seed << " round " << round;
      if (i > 0) {
        ASSERT_GE(top[i - 1].count, entry.count);
      }
      sum += entry.count;
    }
    ASSERT_EQ(sum, keys.total()) << "seed " << seed << " round " << round;  // an invariant of a space-saving sketch
    ASSERT_EQ(top.size(), std::min(capacity, exact.size()));
    for (const auto& [key, count] : exact) {
      if (count > bound) {
        ASSERT_TRUE(reported.contains(key)) << key << " is missing, seed " << seed << " round " << round;
      }
    }
  }
}

}  // namespace
}  // namespace trestle
