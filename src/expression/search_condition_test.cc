#include "expression/search_condition.h"

#include <gtest/gtest.h>

namespace trestle {
namespace {

const Placeholders kPlaceholders{
    .names = NameMap{{"#t", "tenant"}},
    .values = ValueMap{{":t", Value::string("one")}, {":k", Value::number(2)}},
};

Result<std::vector<SearchEquality>> compile(std::string_view text) {
  auto binding = Binding::make(kPlaceholders, true);
  return compile_search_condition(text, *binding);
}

std::string search_refusal(std::string_view text) {
  const auto compiled = compile(text);
  return compiled.has_value() ? "accepted" : compiled.error().message;
}

TEST(SearchCondition, is_equalities_joined_by_and) {
  const auto compiled = compile("#t = :t AND (:k = kind)");
  ASSERT_TRUE(compiled.has_value()) << compiled.error().message;
  ASSERT_EQ(compiled->size(), 2u);
  EXPECT_EQ((*compiled)[0].attribute, "tenant");
  EXPECT_EQ((*compiled)[0].value, Value::string("one").view());
  EXPECT_EQ((*compiled)[1].attribute, "kind");
  EXPECT_EQ((*compiled)[1].value, Value::number(2).view());
}

TEST(SearchCondition, is_nothing_else) {
  constexpr const char* kComparator =
      "Invalid SearchConditionExpression: Invalid comparator used in SearchConditionExpression";
  constexpr const char* kOperator =
      "Invalid SearchConditionExpression: Invalid operator used in SearchConditionExpression";
  for (const char* text : {"a < :t", "a <> :t", "a = b", "a = :t AND b >= :k"})
    EXPECT_EQ(search_refusal(text), kComparator);
  for (const char* text : {"a IN (:t)", "a BETWEEN :t AND :k", "a = :t OR b = :k", "NOT a = :t", "attribute_exists(a)",
                           "begins_with(a, :t)"}) {
    EXPECT_EQ(search_refusal(text), kOperator);
  }
  EXPECT_EQ(search_refusal("a.b = :t"),
            "Invalid SearchConditionExpression: Nested attributes are not allowed in SearchConditionExpression");
  EXPECT_EQ(search_refusal(""), "Invalid SearchConditionExpression: The expression can not be empty;");
  EXPECT_EQ(search_refusal("a = :absent"),
            "Invalid SearchConditionExpression: An expression attribute value used in expression is not defined; "
            "attribute value: :absent");
}

}  // namespace
}  // namespace trestle
