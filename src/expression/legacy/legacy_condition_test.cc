#include <gtest/gtest.h>

#include "expression/condition.h"
#include "expression/values_for_test.h"

namespace trestle {
namespace {

using namespace testing;

LegacyCondition compares(std::string attribute, ComparisonOperator op, std::vector<Value> operands) {
  return {.attribute = std::move(attribute), .comparison = op, .operands = std::move(operands)};
}
LegacyCondition equals(std::string attribute, Value value, std::optional<bool> exists = std::nullopt) {
  return {.attribute = std::move(attribute), .value = std::move(value), .exists = exists};
}
LegacyCondition absent(std::string attribute) { return {.attribute = std::move(attribute), .exists = false}; }

const Item& item() {
  static const Item fixed{{"a", n(2)}, {"t", s("hello")}, {"tags", ss({"x", "y"})}, {"l", list({n(4), s("z")})}};
  return fixed;
}

bool legacy_holds(const LegacyConditions& conditions, std::optional<ConditionalOperator> op = std::nullopt) {
  return compile_legacy_condition(conditions, op).matches(item());
}
bool legacy_holds(std::string attribute, ComparisonOperator op, std::vector<Value> operands) {
  return legacy_holds({compares(std::move(attribute), op, std::move(operands))});
}

TEST(LegacyCondition, expects_a_value_or_none) {
  EXPECT_TRUE(legacy_holds({equals("a", n(2))}));
  EXPECT_TRUE(legacy_holds({equals("a", n(2), true)}));
  EXPECT_FALSE(legacy_holds({equals("a", n(3), true)}));
  EXPECT_FALSE(legacy_holds({equals("gone", n(2))}));
  EXPECT_TRUE(legacy_holds({absent("gone")}));
  EXPECT_FALSE(legacy_holds({absent("a")}));
}

TEST(LegacyCondition, a_value_serves_as_the_operand_of_a_comparison) {
  LegacyCondition less = equals("a", n(3));
  less.comparison = ComparisonOperator::kLt;
  EXPECT_TRUE(legacy_holds({less}));
}

TEST(LegacyCondition, compares_values_of_one_type) {
  EXPECT_TRUE(legacy_holds("a", ComparisonOperator::kEq, {n(2)}));
  EXPECT_TRUE(legacy_holds("a", ComparisonOperator::kLe, {n(2)}));
  EXPECT_TRUE(legacy_holds("a", ComparisonOperator::kLt, {n(10)}));
  EXPECT_TRUE(legacy_holds("a", ComparisonOperator::kGe, {n(2)}));
  EXPECT_TRUE(legacy_holds("a", ComparisonOperator::kGt, {n(-1)}));
  EXPECT_FALSE(legacy_holds("a", ComparisonOperator::kGt, {s("1")}));
  EXPECT_TRUE(legacy_holds("a", ComparisonOperator::kBetween, {n(1), n(2)}));
  EXPECT_FALSE(legacy_holds("a", ComparisonOperator::kBetween, {s("1"), s("3")}));
  EXPECT_TRUE(legacy_holds("t", ComparisonOperator::kBeginsWith, {s("he")}));
  EXPECT_TRUE(legacy_holds("a", ComparisonOperator::kIn, {n(1), n(2)}));
  EXPECT_FALSE(legacy_holds("tags", ComparisonOperator::kIn, {s("x")}));
}

TEST(LegacyCondition, contains_looks_in_strings_sets_and_lists) {
  EXPECT_TRUE(legacy_holds("t", ComparisonOperator::kContains, {s("ell")}));
  EXPECT_TRUE(legacy_holds("tags", ComparisonOperator::kContains, {s("x")}));
  EXPECT_TRUE(legacy_holds("l", ComparisonOperator::kContains, {n(4)}));
  EXPECT_TRUE(legacy_holds("t", ComparisonOperator::kNotContains, {s("dog")}));
  EXPECT_TRUE(legacy_holds("t", ComparisonOperator::kNotContains, {n(1)}));
  EXPECT_FALSE(legacy_holds("l", ComparisonOperator::kNotContains, {n(4)}));
}

TEST(LegacyCondition, an_absent_attribute_satisfies_only_ne_and_null) {
  EXPECT_TRUE(legacy_holds("gone", ComparisonOperator::kNe, {n(1)}));
  EXPECT_TRUE(legacy_holds("gone", ComparisonOperator::kNull, {}));
  EXPECT_FALSE(legacy_holds("gone", ComparisonOperator::kNotNull, {}));
  EXPECT_FALSE(legacy_holds("gone", ComparisonOperator::kNotContains, {n(1)}));
  EXPECT_FALSE(legacy_holds("gone", ComparisonOperator::kContains, {n(1)}));
  EXPECT_FALSE(legacy_holds("gone", ComparisonOperator::kEq, {n(1)}));
  EXPECT_FALSE(legacy_holds("gone", ComparisonOperator::kIn, {n(1)}));
  EXPECT_FALSE(legacy_holds("gone", ComparisonOperator::kBetween, {n(0), n(9)}));
  EXPECT_TRUE(legacy_holds("a", ComparisonOperator::kNotNull, {}));
  EXPECT_FALSE(legacy_holds("a", ComparisonOperator::kNull, {}));
}

TEST(LegacyCondition, all_must_hold_unless_the_operator_is_or) {
  const LegacyConditions both = {equals("a", n(2)), equals("t", s("no"))};
  EXPECT_FALSE(legacy_holds(both));
  EXPECT_FALSE(legacy_holds(both, ConditionalOperator::kAnd));
  EXPECT_TRUE(legacy_holds(both, ConditionalOperator::kOr));
  EXPECT_FALSE(legacy_holds({equals("a", n(3)), equals("t", s("no"))}, ConditionalOperator::kOr));
}

TEST(LegacyCondition, no_item_has_no_attributes) {
  const LegacyConditions conditions = {absent("a")};
  const Condition condition = compile_legacy_condition(conditions, std::nullopt);
  EXPECT_TRUE(condition.matches(ItemView()));
  EXPECT_EQ(condition.attributes(), (std::vector<std::string_view>{"a"}));
}

}  // namespace
}  // namespace trestle
