#include "bench/histogram.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "bench/random.h"

namespace trestle::bench {
namespace {

TEST(Histogram, empty_has_no_percentiles) {
  const Histogram h;
  EXPECT_EQ(h.percentile(50), 0u);
  EXPECT_EQ(h.max(), 0u);
  EXPECT_EQ(h.mean(), 0.0);
}

TEST(Histogram, small_values_are_exact) {
  Histogram h;
  for (uint64_t v = 1; v <= 50; ++v) h.record(v);
  EXPECT_EQ(h.percentile(50), 25u);
  EXPECT_EQ(h.percentile(98), 49u);
  EXPECT_EQ(h.percentile(100), 50u);
  EXPECT_EQ(h.percentile(0), 1u);
  EXPECT_DOUBLE_EQ(h.mean(), 25.5);
}

TEST(Histogram, percentile_never_exceeds_the_largest_value) {
  Histogram h;
  h.record(1'000'001);
  EXPECT_EQ(h.percentile(99.9), 1'000'001u);
  EXPECT_EQ(h.max(), 1'000'001u);
}

TEST(Histogram, largest_possible_value_has_a_bucket) {
  Histogram h;
  h.record(UINT64_MAX);
  EXPECT_EQ(h.percentile(50), UINT64_MAX);
}

TEST(Histogram, percentiles_are_within_a_bucket_above_the_true_ones) {
  const uint64_t seed = 7;
  SCOPED_TRACE(seed);
  Random random(seed);
  Histogram h;
  std::vector<uint64_t> values;
  for (int i = 0; i < 20'000; ++i) {
    const uint64_t value = random.next() >> (20 + random.below(40));
    values.push_back(value);
    h.record(value);
  }
  std::sort(values.begin(), values.end());
  for (const double percent : {1.0, 10.0, 50.0, 90.0, 99.0, 99.9}) {
    const uint64_t exact = values[static_cast<size_t>(percent / 100 * 20'000) - 1];
    EXPECT_GE(h.percentile(percent), exact) << percent;
    EXPECT_LE(static_cast<double>(h.percentile(percent)), static_cast<double>(exact) * (1 + 1.0 / 64) + 1) << percent;
  }
}

}  // namespace
}  // namespace trestle::bench
