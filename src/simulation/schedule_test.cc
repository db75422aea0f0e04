// A few fault schedules. tests/faults/fault_test.cc runs many.
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
  for (uint64_t seed = 1; seed <= 14; ++seed) ASSERT_NO_FATAL_FAILURE(sums.add(run_schedule({.seed = seed}), seed));
  // With fewer unknown outcomes and restarts the schedules would prove little.
  EXPECT_GT(sums.unknown, 10);
  EXPECT_GT(sums.restarts, 28);
}

TEST(Schedule, no_fault_loses_or_resurrects_data_of_several_clients_at_once) {
  Sums sums;
  for (uint64_t seed = 1; seed <= 8; ++seed) {
    ASSERT_NO_FATAL_FAILURE(sums.add(run_schedule({.seed = seed, .clients = 4}), seed));
  }
  EXPECT_GT(sums.unknown, 5);
  EXPECT_GT(sums.restarts, 16);
}

std::string yaml_at(const std::string& path) {
  const auto text = read_file(TRESTLE_SOURCE_FOLDER "/" + path);
  EXPECT_TRUE(text.has_value()) << path;
  return text.value_or("");
}

TEST(Schedule, no_fault_leaves_operations_of_a_design_half_done) {
  const std::string yaml = yaml_at("tests/faults/depot.yaml");
  Sums sums;
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    ASSERT_NO_FATAL_FAILURE(sums.add(run_depot_schedule({.seed = seed}, yaml), seed));
  }
  EXPECT_GT(sums.unknown, 3);
  EXPECT_GT(sums.restarts, 10);
}

TEST(Schedule, under_faults_a_design_does_what_it_does_without) {
  Sums sums;
  for (const char* name : {"authz", "form-bridge", "parental-control", "plugin-auth", "site-catalog"}) {
    const std::string yaml = yaml_at(fmt::format("designs/{}.yaml", name));
    ASSERT_NO_FATAL_FAILURE(sums.add(run_design_schedule({.seed = 1}, yaml), 1)) << name;
  }
  EXPECT_GT(sums.restarts, 10);
}

}  // namespace
}  // namespace trestle
