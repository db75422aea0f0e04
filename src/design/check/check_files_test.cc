// Checks by example, in tests/data/checks: designs that cause a finding, and the most similar ones that do not.
//
// reads/T222-finds.yaml is a whole design that causes T222; T222-silent.yaml is a valid design that does not.
//
// Other files contain several designs. Each follows a line "--- # finds T101" or "--- # silent T101, finds T103", and
// begins with the lines before the first of these. A design without tables gets the table t. After "--- # errors T101"
// or
// "--- # errors none", these are all errors of the design.
#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <sstream>

#include "design/check/finding_codes_for_test.h"
#include "design/language/shipped_designs_for_test.h"

namespace trestle::design {
namespace {

constexpr std::string_view kMarker = "--- # ";

std::vector<std::filesystem::path> check_files(bool has_several_designs) {
  std::vector<std::filesystem::path> files;
  for (const auto& file : std::filesystem::recursive_directory_iterator(kRoot / "tests" / "data" / "checks")) {
    if (!file.is_regular_file()) continue;
    if ((file_text(file.path()).find(kMarker) != std::string::npos) == has_several_designs)
      files.push_back(file.path());
  }
  return files;
}

TEST(CheckFiles, each_check_reports_its_fault_and_not_the_similar_valid_design) {
  std::set<std::string> finds, silent;
  for (const auto& file : check_files(false)) {
    const std::string name = file.filename().string();
    const std::string code = name.substr(0, 4);
    const bool expected = name.find("-finds") != std::string::npos;
    (expected ? finds : silent).insert(code);
    const Reading reading = read_design(file_text(file));
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

// The codes of all errors of a design, separated by spaces, or "none".
std::string errors_of(std::string_view design) {
  std::string codes;
  for (const Finding& finding : check_text(design).findings) {
    if (finding.severity == Severity::kError) codes += (codes.empty() ? "" : " ") + finding.code;
  }
  return codes.empty() ? "none" : codes;
}

// Checks one design; `expectations` is the rest of its marker line: "silent T101, finds T103". Returns how many there
// are.
size_t check_expectations(const std::string& design, const std::string& expectations, const std::string& where) {
  const std::string whole = design.starts_with("design:") ? design : around(design);
  constexpr std::string_view kErrors = "errors ";
  if (expectations.starts_with(kErrors)) {
    EXPECT_EQ(errors_of(whole), expectations.substr(kErrors.size())) << where << "\n" << design;
    return 1;
  }
  const auto codes = codes_of(whole);
  std::istringstream words(expectations);
  bool expected = true;
  size_t count = 0;
  for (std::string word; words >> word;) {
    if (word == "finds" || word == "silent") {
      expected = word == "finds";
      continue;
    }
    if (word.ends_with(',')) word.pop_back();
    EXPECT_EQ(codes.contains(word), expected) << where << ": " << expectations << "\n" << design;
    ++count;
  }
  return count;
}

TEST(CheckFiles, each_design_of_a_file_causes_the_findings_that_its_marker_names) {
  size_t count = 0;
  for (const auto& file : check_files(true)) {
    std::istringstream lines(file_text(file));
    std::string start, design, expectations;
    const auto check_previous = [&] {
      if (!expectations.empty()) count += check_expectations(start + design, expectations, file.filename().string());
    };
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with(kMarker)) {
        check_previous();
        expectations = line.substr(kMarker.size());
        design.clear();
      } else {
        (expectations.empty() ? start : design) += line + "\n";
      }
    }
    check_previous();
  }
  EXPECT_GE(count, 372U);
}

}  // namespace
}  // namespace trestle::design
