// A few schedules of faults; tests/faults/fault_test.cc runs many.
#include "simulation/schedule.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/read_file.h"

namespace trestle {
namespace {

struct Sums {
  int unknown = 0;
  int restarts = 0;
  void add(const ScheduleReport& report, uint64_t seed) {
    ASSERT_EQ(report.violation, "") << "seed " << seed << "\n" << fmt::format("{}", fmt::join(report.trace, "\n"));
    unknown += report.unknown;
    restarts += report.restarts;
  }
};

TEST(Schedule, no_fault_loses_or_resurrects_data) {
  Sums sums;
  for (uint64_t seed = 1; seed <= 10; ++seed) ASSERT_NO_FATAL_FAILURE(sums.add(run_schedule({.seed = seed}), seed));
  // Otherwise the schedules would prove little.
  EXPECT_GT(sums.unknown, 5);
  EXPECT_GT(sums.restarts, 20);
}

TEST(Schedule, no_fault_leaves_operations_of_a_design_half_done) {
  const auto yaml = read_file(TRESTLE_SOURCE_FOLDER "/tests/faults/depot.yaml");
  ASSERT_TRUE(yaml.has_value());
  Sums sums;
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    ASSERT_NO_FATAL_FAILURE(sums.add(run_design_schedule({.seed = seed}, *yaml), seed));
  }
  EXPECT_GT(sums.unknown, 1);
  EXPECT_GT(sums.restarts, 6);
}

}  // namespace
}  // namespace trestle
