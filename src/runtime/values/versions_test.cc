#include "runtime/values/versions.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace trestle::runtime {
namespace {

TEST(Versions, are_ordered_by_semantic_versioning) {
  const std::vector<std::string> ascending = {"0.9.0",
                                              "1.0.0-alpha",
                                              "1.0.0-alpha.1",
                                              "1.0.0-alpha.beta",
                                              "1.0.0-beta",
                                              "1.0.0-beta.2",
                                              "1.0.0-beta.11",
                                              "1.0.0-rc.1",
                                              "1.0.0",
                                              "1.0.1",
                                              "1.9.0",
                                              "1.10.0",
                                              "2.0.0",
                                              "10.0.0",
                                              "99999999999999999999.0.0"};
  for (size_t i = 0; i < ascending.size(); ++i) {
    for (size_t j = 0; j < ascending.size(); ++j) {
      const int order = compare_versions(ascending[i], ascending[j]);
      EXPECT_EQ(order < 0, i < j) << ascending[i] << " " << ascending[j];
      EXPECT_EQ(order > 0, i > j) << ascending[i] << " " << ascending[j];
    }
  }
}

TEST(Versions, missing_parts_are_zero_and_builds_do_not_count) {
  EXPECT_EQ(compare_versions("1.2", "1.2.0"), 0);
  EXPECT_EQ(compare_versions("v1.2.0", "1.2"), 0);
  EXPECT_EQ(compare_versions("1.2.0+build.5", "1.2.0+build.6"), 0);
  EXPECT_LT(compare_versions("1.2", "1.2.1"), 0);
}

}  // namespace
}  // namespace trestle::runtime
