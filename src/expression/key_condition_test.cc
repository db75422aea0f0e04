#include "expression/key_condition.h"

#include <gtest/gtest.h>

#include "expression/values_for_test.h"

namespace trestle {
namespace {

using namespace testing;

std::string compile_message(std::string_view text, const Placeholders& placeholders = {}) {
  Binding binding = Binding::make(placeholders, true).value();
  return message_of(compile_key_condition(text, binding));
}

KeySchema string_and(ValueType range) { return {.hash = {{"pk", ValueType::kString}}, .range = {{"sk", range}}}; }

Result<KeySelection> select(std::string_view text, const Placeholders& placeholders,
                            const KeySchema& key = string_and(ValueType::kString)) {
  Binding binding = Binding::make(placeholders, true).value();
  TRY_INTO(const KeyCondition condition, compile_key_condition(text, binding));
  return select_key(condition, key, false);
}

const std::string kKeyConditionPrefix = "Invalid KeyConditionExpression: ";

TEST(KeyCondition, turns_into_terms) {
  const Placeholders values = placeholders_of({{"#p", "pk"}}, {{":p", s("a")}, {":a", n(1)}, {":b", n(2)}});
  Binding binding = Binding::make(values, true).value();
  const KeyCondition terms = compile_key_condition("#p = :p AND (sk BETWEEN :a AND :b)", binding).value();
  ASSERT_EQ(terms.size(), 2u);
  EXPECT_EQ(terms[0].attribute, "pk");
  EXPECT_EQ(terms[0].comparison, KeyComparison::kEqual);
  EXPECT_EQ(terms[0].first, s("a").view());
  EXPECT_EQ(terms[1].attribute, "sk");
  EXPECT_EQ(terms[1].comparison, KeyComparison::kBetween);
  EXPECT_EQ(terms[1].first, n(1).view());
  EXPECT_EQ(terms[1].second, n(2).view());
}

TEST(KeyCondition, names_point_into_the_request) {
  const std::string text = "kind_of = :v";
  const Placeholders values = placeholders_of({{":v", n(1)}});
  Binding binding = Binding::make(values, true).value();
  EXPECT_EQ(compile_key_condition(text, binding).value()[0].attribute.data(), text.data());
}

TEST(KeyCondition, a_value_may_come_first) {
  const Placeholders values = placeholders_of({{":v", n(1)}});
  const std::pair<const char*, KeyComparison> cases[] = {
      {":v = sk", KeyComparison::kEqual},           {":v < sk", KeyComparison::kGreater},
      {":v <= sk", KeyComparison::kGreaterOrEqual}, {":v > sk", KeyComparison::kLess},
      {":v >= sk", KeyComparison::kLessOrEqual},    {"sk >= :v", KeyComparison::kGreaterOrEqual}};
  for (const auto& [text, comparison] : cases) {
    Binding binding = Binding::make(values, true).value();
    EXPECT_EQ(compile_key_condition(text, binding).value()[0].comparison, comparison) << text;
  }
}

TEST(KeyCondition, faults_of_any_condition_come_first) {
  EXPECT_EQ(compile_message(""), kKeyConditionPrefix + "The expression can not be empty;");
  EXPECT_EQ(compile_message("pk ="), kKeyConditionPrefix + "Syntax error; token: \"<EOF>\", near: \"=\"");
  EXPECT_EQ(compile_message("begins_with(sk, :n) AND pk = :missing", placeholders_of({{":n", n(1)}})),
            kKeyConditionPrefix +
                "Incorrect operand type for operator or function; operator or function: begins_with, "
                "operand type: N");
  EXPECT_EQ(compile_message("pk = :missing AND begins_with(sk, :n)", placeholders_of({{":n", n(1)}})),
            kKeyConditionPrefix +
                "An expression attribute value used in expression is not defined; attribute value: :missing");
  EXPECT_EQ(compile_message("a between :b and :a", placeholders_of({{":a", s("a")}, {":b", s("b")}})),
            kKeyConditionPrefix +
                "The BETWEEN operator requires upper bound to be greater than or equal to lower bound; "
                "lower bound operand: AttributeValue: {S:b}, upper bound operand: AttributeValue: {S:a}");
}

TEST(KeyCondition, operators_that_keys_do_not_support_are_refused) {
  const std::pair<const char*, const char*> cases[] = {{"a > b and size(b) > c or a > c", "OR"},
                                                       {"a in (b, size(c), d)", "IN"},
                                                       {"attribute_exists(a)", "attribute_exists"},
                                                       {"attribute_not_exists(a)", "attribute_not_exists"},
                                                       {"contains(a.d, b)", "contains"},
                                                       {"not a > b", "NOT"},
                                                       {"a <> b", "<>"}};
  for (const auto& [text, name] : cases) {
    EXPECT_EQ(compile_message(text), std::string("Invalid operator used in KeyConditionExpression: ") + name);
  }
  EXPECT_EQ(compile_message("attribute_type(a, :a)", placeholders_of({{":a", s("S")}})),
            "Invalid operator used in KeyConditionExpression: attribute_type");
}

TEST(KeyCondition, the_key_is_the_first_operand_of_between_and_begins_with) {
  const Placeholders values = placeholders_of({{":a", s("1")}, {":b", s("1")}});
  EXPECT_EQ(compile_message("begins_with(:a, b) and a > :b", values),
            "Invalid condition in KeyConditionExpression: begins_with operator must have the key attribute as its "
            "first operand");
  EXPECT_EQ(compile_message(":a between b and c and b > :b", values),
            "Invalid condition in KeyConditionExpression: BETWEEN operator must have the key attribute as its first "
            "operand");
}

TEST(KeyCondition, operations_are_not_nested) {
  for (const char* text : {"size(b) > a AND a.b > b AND b > c", "a > size(b.d)", "a between size(b) and size(a)"}) {
    EXPECT_EQ(compile_message(text), kKeyConditionPrefix + "KeyConditionExpressions cannot contain nested operations");
  }
}

TEST(KeyCondition, a_condition_names_one_attribute) {
  for (const char* text : {"b > a.b", "b between c[1] and d", "a between b and size(a)", "begins_with(a, b)"}) {
    EXPECT_EQ(compile_message(text),
              "Invalid condition in KeyConditionExpression: Multiple attribute names used in one condition");
  }
  const Placeholders values = placeholders_of({{":a", n(1)}, {":b", n(1)}});
  EXPECT_EQ(compile_message(":b > :a AND a < :b", values),
            "Invalid condition in KeyConditionExpression: No key attribute specified");
}

TEST(KeyCondition, an_attribute_is_not_nested) {
  for (const char* text : {"b.d > a AND c.d > e.f", "a.d > c", "b[0] > a"}) {
    EXPECT_EQ(compile_message(text),
              kKeyConditionPrefix + "KeyConditionExpressions cannot have conditions on nested attributes");
  }
}

TEST(KeyCondition, an_attribute_has_one_condition) {
  for (const char* text : {"b > :a AND b < :a and c = :a and d = :a", "(a > :a and b > :a) and (b > :a and c > :a)"}) {
    EXPECT_EQ(compile_message(text, placeholders_of({{":a", n(1)}})),
              kKeyConditionPrefix + "KeyConditionExpressions must only contain one condition per key");
  }
}

TEST(KeyCondition, a_fault_of_shape_can_wait_for_the_other_expressions) {
  const Placeholders values = placeholders_of({{":a", n(1)}});
  Binding binding = Binding::make(values, true).value();
  std::optional<Error> deferred;
  EXPECT_TRUE(compile_key_condition("a = :a OR b = :a", binding, &deferred).value().empty());
  ASSERT_TRUE(deferred.has_value());
  EXPECT_EQ(deferred->message, "Invalid operator used in KeyConditionExpression: OR");
  EXPECT_FALSE(compile_key_condition("a = :missing", binding, &deferred).has_value());
}

// ---- Matching a condition with a key.

TEST(KeySelection, takes_the_hash_and_perhaps_the_range) {
  const Placeholders one = placeholders_of({{":p", s("a")}});
  const Placeholders two = placeholders_of({{":p", s("a")}, {":s", s("b")}});
  const KeySelection hash = select("pk = :p", one).value();
  ASSERT_EQ(hash.hash.size(), 1u);
  EXPECT_EQ(hash.hash[0], s("a").view());
  EXPECT_TRUE(hash.range_equal.empty());
  EXPECT_FALSE(hash.range.has_value());
  const KeySelection equal = select("sk = :s AND pk = :p", two).value();
  EXPECT_EQ(equal.range_equal.size(), 1u);
  EXPECT_FALSE(equal.range.has_value());
  const KeySelection prefix = select("pk = :p AND begins_with(sk, :s)", two).value();
  EXPECT_TRUE(prefix.range_equal.empty());
  EXPECT_EQ(prefix.range->comparison, KeyComparison::kBeginsWith);
}

TEST(KeySelection, every_condition_is_on_a_key_attribute) {
  const Placeholders one = placeholders_of({{":a", s("a")}});
  EXPECT_EQ(message_of(select("sk = :a", one)), "Query condition missed key schema element: pk");
  EXPECT_EQ(message_of(select("extra = :a", one)), "Query condition missed key schema element: pk");
  EXPECT_EQ(message_of(select("pk = :a AND extra = :a", one)), "Query condition missed key schema element: sk");
  EXPECT_EQ(message_of(select("pk = :a AND sk > :a AND extra = :a", one)),
            "The number of query conditions (3) exceeds the number of key attributes defined in the schema (2)");
  EXPECT_EQ(message_of(select("pk = :a AND sk > :a", one, {.hash = {{"pk", ValueType::kString}}, .range = {}})),
            "The number of query conditions (2) exceeds the number of key attributes defined in the schema (1)");
}

TEST(KeySelection, the_hash_is_matched_with_equality) {
  EXPECT_EQ(message_of(select("pk > :a", placeholders_of({{":a", s("a")}}))), "Query key condition not supported");
}

TEST(KeySelection, values_are_of_the_types_of_the_key) {
  constexpr const char* kMismatch =
      "One or more parameter values were invalid: Condition parameter type does not match schema type";
  EXPECT_EQ(message_of(select("pk = :a", placeholders_of({{":a", n(1)}}))), kMismatch);
  const Placeholders values = placeholders_of({{":p", s("q")}, {":v", s("a")}});
  EXPECT_EQ(message_of(select("pk = :p AND begins_with(sk, :v)", values, string_and(ValueType::kNumber))), kMismatch);
  const Placeholders truth = placeholders_of({{":p", s("q")}, {":v", Value::boolean(true)}});
  EXPECT_EQ(message_of(select("pk = :p AND sk = :v", truth, string_and(ValueType::kNumber))), kMismatch);
}

TEST(KeySelection, key_values_are_not_empty) {
  EXPECT_EQ(message_of(select("pk = :p", placeholders_of({{":p", s("")}}))),
            "One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an "
            "empty string value. Key: pk");
  EXPECT_EQ(message_of(select("pk = :p AND sk > :b", placeholders_of({{":p", s("a")}, {":b", b("")}}),
                              string_and(ValueType::kBinary))),
            "One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an "
            "empty binary value. Key: sk");
}

TEST(KeySelection, key_values_have_limited_sizes) {
  EXPECT_TRUE(select("pk = :p", placeholders_of({{":p", s(std::string(2048, 'a'))}})).has_value());
  EXPECT_EQ(message_of(select("pk = :p", placeholders_of({{":p", s(std::string(2049, 'a'))}}))),
            "One or more parameter values were invalid: Size of hashkey has exceeded the maximum size limit of2048 "
            "bytes");
  EXPECT_EQ(
      message_of(select("pk = :p AND sk = :s", placeholders_of({{":p", s("a")}, {":s", s(std::string(1025, 'a'))}}))),
      "One or more parameter values were invalid: Aggregated size of all range keys has exceeded the size limit "
      "of 1024 bytes");
}

const KeySchema& wide_key() {
  static const KeySchema key{
      .hash = {{"h", ValueType::kString}, {"g", ValueType::kString}},
      .range = {{"a", ValueType::kString}, {"b", ValueType::kString}, {"c", ValueType::kString}}};
  return key;
}

Result<KeySelection> select_wide(std::string_view text) {
  static const Placeholders values = placeholders_of({{":v", s("v")}});
  return select(text, values, wide_key());
}

TEST(KeySelection, a_wide_key_takes_a_prefix_of_its_range_in_any_order) {
  const KeySelection selection = select_wide("b = :v AND g = :v AND h = :v AND a = :v AND c > :v").value();
  EXPECT_EQ(selection.hash.size(), 2u);
  EXPECT_EQ(selection.range_equal.size(), 2u);
  EXPECT_EQ(selection.range->attribute, "c");
  EXPECT_EQ(select_wide("h = :v AND g = :v AND a < :v")->range->attribute, "a");
}

TEST(KeySelection, a_wide_key_needs_every_hash_attribute) {
  const std::string lacks_g = "HASH key attributes g must have equality conditions specified in the query";
  EXPECT_EQ(message_of(select_wide("h = :v")), lacks_g);
  EXPECT_EQ(message_of(select_wide("h = :v AND g > :v")), lacks_g);
}

TEST(KeySelection, a_wide_range_has_no_gaps) {
  const auto refusal = [](const std::string& missing, const std::string& present) {
    return "RANGE key attributes " + missing +
           " must have equality conditions specified in the query because a condition is present on key attribute " +
           present;
  };
  EXPECT_EQ(message_of(select_wide("h = :v AND g = :v AND a = :v AND c = :v")), refusal("b", "c"));
  EXPECT_EQ(message_of(select_wide("h = :v AND g = :v AND a = :v AND b > :v AND c = :v")), refusal("b", "c"));
  EXPECT_EQ(message_of(select_wide("h = :v AND g = :v AND b = :v")), refusal("a", "b"));
  EXPECT_EQ(message_of(select_wide("h = :v AND g = :v AND c = :v")), refusal("a, b", "c"));
}

// ---- KeyConditions.

LegacyCondition legacy_condition(std::string attribute, ComparisonOperator op, std::vector<Value> operands) {
  return {.attribute = std::move(attribute), .comparison = op, .operands = std::move(operands)};
}

TEST(LegacyKeyCondition, selects_like_an_expression) {
  const LegacyConditions conditions = {legacy_condition("sk", ComparisonOperator::kBetween, {s("a"), s("b")}),
                                       legacy_condition("pk", ComparisonOperator::kEq, {s("p")})};
  const KeyCondition terms = compile_legacy_key_condition(conditions).value();
  const KeySelection selection = select_legacy_key(terms, string_and(ValueType::kString), false).value();
  EXPECT_EQ(selection.hash[0], s("p").view());
  EXPECT_EQ(selection.range->second, s("b").view());
}

TEST(LegacyKeyCondition, some_comparisons_fit_no_key) {
  for (const ComparisonOperator op :
       {ComparisonOperator::kNe, ComparisonOperator::kIn, ComparisonOperator::kNull, ComparisonOperator::kNotNull,
        ComparisonOperator::kContains, ComparisonOperator::kNotContains}) {
    const LegacyConditions conditions = {legacy_condition("pk", op, {s("p")})};
    const KeyCondition terms = compile_legacy_key_condition(conditions).value();
    EXPECT_EQ(message_of(select_legacy_key(terms, string_and(ValueType::kString), false)),
              "Attempted conditional constraint is not an indexable operation");
  }
}

}  // namespace
}  // namespace trestle
