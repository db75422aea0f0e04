// A rehearsal finds faults that only show when a design runs, and none in designs that work.
#include "rehearsal/rehearsal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>

#include "design/check/check.h"

namespace trestle::rehearsal {
namespace {

using ::testing::HasSubstr;

const std::filesystem::path kSourceRoot = TRESTLE_SOURCE_FOLDER;

design::Reading reading_of(const std::filesystem::path& path) {
  std::ifstream file(kSourceRoot / path, std::ios::binary);
  EXPECT_TRUE(file.good()) << path;
  design::Reading reading = design::read_design(std::string(std::istreambuf_iterator<char>(file), {}));
  const design::Report report = design::check_design(reading);
  for (const design::Finding& finding : report.findings)
    EXPECT_NE(finding.severity, design::Severity::kError) << path << " " << finding.code << " " << finding.message;
  return reading;
}

std::vector<design::Finding> rehearsed(const std::filesystem::path& path) { return rehearse(reading_of(path).design); }

TEST(Rehearsal, finds_nothing_in_a_design_that_runs) {
  for (const design::Finding& finding : rehearsed("tests/data/rehearsal/sound.yaml"))
    ADD_FAILURE() << finding.code << " " << finding.message;
}

TEST(Rehearsal, finds_nothing_in_inputs_that_belong_together) {
  for (const design::Finding& finding : rehearsed("tests/data/rehearsal/optional-pair.yaml"))
    ADD_FAILURE() << finding.code << " " << finding.message;
}

TEST(Rehearsal, finds_nothing_in_operations_on_two_different_items) {
  for (const design::Finding& finding : rehearsed("tests/data/rehearsal/two-items.yaml"))
    ADD_FAILURE() << finding.code << " " << finding.message;
}

TEST(Rehearsal, shows_the_operation_the_input_and_the_request_that_is_refused) {
  const auto findings = rehearsed("tests/data/rehearsal/refused-request.yaml");
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].code, "T702");
  EXPECT_EQ(findings[0].place.line, 14);
  EXPECT_THAT(findings[0].message, HasSubstr("`tag` with {\"id\":"));
  EXPECT_THAT(findings[0].message, HasSubstr("UpdateItem {"));
  EXPECT_THAT(findings[0].message, HasSubstr("operator: ADD, operand type: STRING"));
}

TEST(Rehearsal, verifies_what_operations_leave_behind) {
  const auto findings = rehearsed("tests/data/rehearsal/stale-index.yaml");
  ASSERT_FALSE(findings.empty());
  for (const design::Finding& finding : findings) {
    EXPECT_EQ(finding.code, "T704");
    EXPECT_THAT(finding.message, HasSubstr("after calls of `give`"));
    EXPECT_THAT(finding.message, HasSubstr("GSI1PK"));
  }
}

TEST(Rehearsal, finds_at_random_what_operations_do_to_each_other) {
  const design::Reading reading = reading_of("tests/data/rehearsal/late-fault.yaml");
  EXPECT_TRUE(rehearse(reading.design, 0).empty());
  const auto findings = rehearse(reading.design);
  ASSERT_FALSE(findings.empty());
  EXPECT_EQ(findings[0].code, "T704");
  EXPECT_THAT(findings[0].message, HasSubstr("after calls of `give`"));
  EXPECT_THAT(findings[0].message, HasSubstr("GSI1PK"));
}

TEST(Rehearsal, gives_an_operation_what_a_reaction_would) {
  const auto findings = rehearsed("tests/data/rehearsal/reaction-inputs.yaml");
  ASSERT_EQ(findings.size(), 2U);
  EXPECT_EQ(findings[0].code, "T702");
  EXPECT_THAT(findings[0].message, HasSubstr("reaction `holdEnds` calls `giveBack` on expire"));
  EXPECT_THAT(findings[0].message, HasSubstr("quantity"));
  EXPECT_EQ(findings[1].code, "T702");
  EXPECT_THAT(findings[1].message, HasSubstr("reaction `holdBegins` calls `writeNote` on insert"));
  EXPECT_THAT(findings[1].message, HasSubstr("event"));
}

TEST(Rehearsal, passes_lists_of_distinct_members) {
  EXPECT_TRUE(rehearsed("tests/data/rehearsal/list-of-dates.yaml").empty());
}

TEST(Rehearsal, creates_the_tables_as_DynamoDB_would) {
  const auto findings = rehearsed("tests/data/rehearsal/refused-table.yaml");
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].code, "T701");
}

std::vector<std::string> shipped_designs() {
  std::vector<std::string> out;
  for (const char* folder : {"designs", "designs/examples"}) {
    if (!std::filesystem::is_directory(kSourceRoot / folder)) continue;
    for (const auto& file : std::filesystem::directory_iterator(kSourceRoot / folder)) {
      if (file.path().extension() == ".yaml") out.push_back(folder + ("/" + file.path().filename().string()));
    }
  }
  std::sort(out.begin(), out.end());
  return out;
}

// The CPU time of the whole process, including the in-memory database's own threads.
double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

// The bound applies to Release builds. Builds without optimisation rehearse fewer designs; with a sanitizer they take
// up to ten times as long.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kIsSanitized = true;
#elif defined(__has_feature)
constexpr bool kIsSanitized = __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#else
constexpr bool kIsSanitized = false;
#endif
#ifdef NDEBUG
constexpr double kRehearsalSeconds = kIsSanitized ? 10 : 1;
constexpr size_t kRehearsed = 100;
#else
constexpr double kRehearsalSeconds = 60;
constexpr size_t kRehearsed = 4;
#endif

TEST(Rehearsal, of_each_shipped_design_finds_nothing_within_a_second) {
  ASSERT_GE(shipped_designs().size(), 5U);
  size_t count = 0;
  for (const std::string& path : shipped_designs()) {
    if (++count > kRehearsed) break;
    const design::Reading reading = reading_of(path);
    std::vector<design::Finding> findings;
    // Other programs that share caches and cores lengthen a run, so the shortest of several counts.
    double seconds = std::numeric_limits<double>::max();
    for (int run = 0; run < 3 && seconds >= kRehearsalSeconds; ++run) {
      const double start = processor_seconds();
      findings = rehearse(reading.design);
      seconds = std::min(seconds, processor_seconds() - start);
    }
    EXPECT_LT(seconds, kRehearsalSeconds) << path;
    for (const design::Finding& finding : findings)
      ADD_FAILURE() << path << " " << finding.code << " " << finding.message;
  }
}

}  // namespace
}  // namespace trestle::rehearsal
