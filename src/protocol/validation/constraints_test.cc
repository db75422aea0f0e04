#include "protocol/validation/constraints.h"

#include <gtest/gtest.h>

namespace trestle {
namespace {

std::string message_of(const Constraints& constraints) {
  const auto result = constraints.check();
  return result.has_value() ? "ok" : result.error().message;
}

TEST(Constraints, violations_are_reported_together_in_the_order_checked) {
  Constraints constraints;
  constraints.not_null(false, "tableName");
  constraints.value_at_least(0, "limit", 1);
  EXPECT_EQ(message_of(constraints),
            "2 validation errors detected: "
            "Value null at 'tableName' failed to satisfy constraint: Member must not be null; "
            "Value '0' at 'limit' failed to satisfy constraint: Member must have value greater than or equal to 1");
}

TEST(Constraints, ten_violations_are_reported_at_most) {
  Constraints constraints;
  for (int i = 0; i < 12; ++i) constraints.not_null(false, "a");
  EXPECT_TRUE(message_of(constraints).starts_with("10 validation errors detected: "));
}

TEST(Constraints, an_absent_member_violates_nothing_but_not_null) {
  Constraints constraints;
  constraints.length_at_least(std::nullopt, "a", 3);
  constraints.length_at_most(std::nullopt, "a", 3);
  constraints.name_pattern(std::nullopt, "a");
  constraints.table_name_or_arn(std::nullopt, "a");
  constraints.value_at_least(std::nullopt, "a", 3);
  constraints.value_at_most(std::nullopt, "a", 3);
  EXPECT_EQ(message_of(constraints), "ok");
}

TEST(Constraints, lengths_count_utf16_units) {
  Constraints constraints;
  constraints.length_at_least("\u00e9\u00e9\u00e9", "a", 3);
  constraints.length_at_least("\U0001F600a", "a", 3);
  constraints.length_at_most("\u00e9\u00e9\u00e9", "a", 3);
  EXPECT_EQ(message_of(constraints), "ok");
  constraints.length_at_least("\u00e9\u00e9", "a", 3);
  constraints.length_at_most("\U0001F600\U0001F600", "a", 3);
  EXPECT_EQ(constraints.count(), 2u);
}

TEST(Constraints, an_unknown_enumeration_member_is_shown_with_the_known_ones) {
  constexpr Choice<int> kChoices[] = {{"ONE", 1}, {"TWO", 2}};
  Constraints constraints;
  std::optional<int> out;
  constraints.one_of("TWO", "number", kChoices, out);
  EXPECT_EQ(out, 2);
  constraints.one_of("THREE", "number", kChoices, out);
  EXPECT_EQ(message_of(constraints),
            "1 validation error detected: Value 'THREE' at 'number' failed to satisfy constraint: "
            "Member must satisfy enum value set: [ONE, TWO]");
}

TEST(Constraints, paths_number_list_elements_and_name_map_elements) {
  const MemberPath keys(nullptr, "keySchema");
  const MemberPath element(&keys, "member", size_t{1});
  EXPECT_EQ(MemberPath(&element, "keyType").text(), "keySchema.1.member.keyType");
  const MemberPath map("requestItems");
  const MemberPath table(&map, "member", "music");
  EXPECT_EQ(MemberPath(&table, "keys").text(), "requestItems.music.member.keys");
}

TEST(Constraints, a_table_is_named_by_a_short_name_or_an_arn) {
  Constraints constraints;
  constraints.table_name_or_arn("a", "tableName");
  constraints.table_name_or_arn("arn:aws:dynamodb:eu-west-1:123456789012:table/music", "tableName");
  EXPECT_EQ(message_of(constraints), "ok");
  constraints.table_name_or_arn("", "tableName");
  constraints.table_name_or_arn("a b", "tableName");
  EXPECT_EQ(message_of(constraints),
            "2 validation errors detected: Value '' at 'tableName' failed to satisfy constraint: "
            "Member must have length greater than or equal to 1; Value 'a b' at 'tableName' failed to satisfy "
            "constraint: Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+");
}

}  // namespace
}  // namespace trestle
