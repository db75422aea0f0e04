// The checker on random designs, which are sound by construction: it must report no error and no false alarm.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "design/check/check.h"
#include "runtime/generated_design_for_test.h"

namespace trestle::runtime {
namespace {

// The findings that are true of generated designs: an unpadded number in a sort key, an index that no entity writes, an
// index that copies a packed or spilled field, an update that replaces a list, a greatest value that is read from a
// global index. Any other finding would be a false alarm.
const std::set<std::string> kTrue = {"T105", "T212", "T218", "T317", "T335"};

TEST(GeneratedDesigns, raise_no_false_alarm) {
  std::map<std::string, std::pair<int, std::string>> found;
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    const std::string yaml = GeneratedDesign(seed).yaml;
    for (const design::Finding& finding : design::check_text(yaml).findings) {
      auto& [count, example] = found[finding.code];
      ++count;
      if (example.empty()) example = "seed " + std::to_string(seed) + ": " + finding.message;
      EXPECT_NE(finding.severity, design::Severity::kError) << seed << " " << finding.code << " " << finding.message;
    }
  }
  for (const auto& [code, what] : found)
    EXPECT_TRUE(kTrue.contains(code)) << code << ", " << what.first << " times; " << what.second;
}

}  // namespace
}  // namespace trestle::runtime
