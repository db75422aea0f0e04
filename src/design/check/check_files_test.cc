// Checks by example: tests/data/checks/reads/T222-finds.yaml causes T222, and T222-silent.yaml, the most similar valid
// design, does not.
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "design/check/check.h"
#include "design/language/shipped_designs_test_help.h"

namespace trestle::design {
namespace {

TEST(CheckFiles, each_check_reports_its_fault_and_not_the_similar_valid_design) {
  std::set<std::string> finds, silent;
  for (const auto& file : std::filesystem::recursive_directory_iterator(kRoot / "tests" / "data" / "checks")) {
    if (!file.is_regular_file()) continue;
    const std::string name = file.path().filename().string();
    const std::string code = name.substr(0, 4);
    const bool expected = name.find("-finds") != std::string::npos;
    (expected ? finds : silent).insert(code);
    const Reading reading = read_design(file_text(file.path()));
    for (const Finding& mistake : reading.mistakes) ADD_FAILURE() << name << ": " << mistake.message;
    bool found = false;
    for (const Finding& finding : check_design(reading).findings) {
      found = found || finding.code == code;
      if (expected) continue;
      EXPECT_NE(finding.severity, Severity::kError) << name << ": " << finding.code << finding.message;
    }
    EXPECT_EQ(found, expected) << name;
  }
  EXPECT_EQ(finds, silent);
  EXPECT_GE(finds.size(), 11U);
}

}  // namespace
}  // namespace trestle::design
