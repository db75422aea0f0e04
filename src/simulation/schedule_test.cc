// A few schedules of faults; tests/faults/fault_test.cc runs many.
#include "simulation/schedule.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace trestle {
namespace {

TEST(Schedule, no_fault_loses_or_resurrects_data) {
  int unknown = 0;
  int restarts = 0;
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    const ScheduleReport report = run_schedule({.seed = seed});
    ASSERT_EQ(report.violation, "") << "seed " << seed << "\n" << fmt::format("{}", fmt::join(report.trace, "\n"));
    unknown += report.unknown;
    restarts += report.restarts;
  }
  // Otherwise the schedules would prove little.
  EXPECT_GT(unknown, 5);
  EXPECT_GT(restarts, 20);
}

}  // namespace
}  // namespace trestle
