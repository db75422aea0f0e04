#include "cli/design/rate_arguments.h"

#include <gtest/gtest.h>

#include "design/language/reader.h"

namespace trestle::design {
namespace {

constexpr std::string_view kDesign = R"(design: notes
version: 1
tables:
  notes: {key: [PK, SK], type: Type}
entities:
  Note:
    key: ["NOTE#{id}", NOTE]
    fields: {id: string, text: string}
reads:
  note: {get: Note}
)";

std::string error_of_rates(const std::vector<std::string>& arguments) {
  const auto rates = read_rates(read_design(kDesign).design, arguments);
  return rates ? "" : rates.error();
}

TEST(RateArguments, a_rate_belongs_to_an_operation) {
  const auto rates = read_rates(read_design(kDesign).design, {"note=10K/month", "note=5/s"});
  ASSERT_TRUE(rates.has_value());
  ASSERT_EQ(rates->size(), 2u);
  EXPECT_EQ((*rates)[0].first, "note");
  EXPECT_EQ((*rates)[0].second.per_second, parse_rate("10K/month")->per_second);
  EXPECT_EQ((*rates)[1].second.per_second, 5);
}

TEST(RateArguments, other_texts_and_unknown_operations_are_refused) {
  for (const char* argument : {"note", "note=", "note=many", "note=5/blink"}) {
    EXPECT_EQ(error_of_rates({argument}),
              std::string("`") + argument + "`: expected operation=rate, such as submit=10K/month");
  }
  EXPECT_EQ(error_of_rates({"notes=5/s"}).substr(0, 30), "notes has no operation `notes`");
}

}  // namespace
}  // namespace trestle::design
