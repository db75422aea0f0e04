#include "cli/mcp/check_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace trestle::mcp {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

TEST(CheckText, a_finding_is_explained_up_to_the_next_one) {
  EXPECT_THAT(explain_finding("T102").value_or(""),
              AllOf(StartsWith("**T102 error: two entities can have the same key.**"), HasSubstr("*Repair*"),
                    Not(HasSubstr("T103")), Not(testing::EndsWith("\n"))));
}

TEST(CheckText, the_last_finding_of_a_section_ends_before_the_next_heading) {
  const std::string_view document = checks_document();
  const size_t heading = document.find("\n## T2..");
  ASSERT_NE(heading, std::string_view::npos);
  const std::string_view last = document.substr(document.rfind("\n**T1", heading) + 3, 4);
  EXPECT_THAT(explain_finding(last).value_or(""), AllOf(StartsWith("**" + std::string(last)), Not(HasSubstr("## T2"))));
}

TEST(CheckText, a_finding_may_be_a_row_of_a_table) {
  EXPECT_THAT(explain_finding("T003").value_or(""),
              AllOf(StartsWith("| T003 | Another form or type was expected."), Not(HasSubstr("\n"))));
}

TEST(CheckText, unknown_codes_have_no_text) {
  for (const char* code : {"T999", "T10", "T", "", "t102"}) EXPECT_EQ(explain_finding(code), std::nullopt) << code;
}

}  // namespace
}  // namespace trestle::mcp
