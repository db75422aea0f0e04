#include "expression/binding.h"

#include <gtest/gtest.h>

#include "expression/values_for_test.h"

namespace trestle {
namespace {

using namespace testing;

std::string make_message(const Placeholders& placeholders, bool has_expression = true, bool may_use_values = true,
                         std::string_view missing = {}) {
  return message_of(Binding::make(placeholders, has_expression, may_use_values, missing));
}

TEST(Binding, names_and_values_need_an_expression) {
  EXPECT_EQ(make_message(placeholders_of_names({{"#a", "a"}}), false),
            "ExpressionAttributeNames can only be specified when using expressions");
  EXPECT_EQ(make_message(placeholders_of({{":a", s("a")}}), false),
            "ExpressionAttributeValues can only be specified when using expressions");
  EXPECT_EQ(make_message(placeholders_of({{":a", s("a")}}), true, false, "FilterExpression is null"),
            "ExpressionAttributeValues can only be specified when using expressions: FilterExpression is null");
}

TEST(Binding, maps_must_not_be_empty) {
  Placeholders names;
  names.names.emplace();
  names.values.emplace();
  EXPECT_EQ(make_message(names), "ExpressionAttributeNames must not be empty");
  Placeholders values;
  values.values.emplace();
  EXPECT_EQ(make_message(values), "ExpressionAttributeValues must not be empty");
}

TEST(Binding, keys_have_their_sign_and_plain_characters) {
  for (const char* key : {"a", "#", "", "#a-b", ":a", "#a b"}) {
    EXPECT_EQ(make_message(placeholders_of_names({{key, "a"}})),
              "ExpressionAttributeNames contains invalid key: Syntax error; key: \"" + std::string(key) + "\"");
  }
  for (const char* key : {"a", ":", "", ":a-b", "#a"}) {
    EXPECT_EQ(make_message(placeholders_of({{key, s("a")}})),
              "ExpressionAttributeValues contains invalid key: Syntax error; key: \"" + std::string(key) + "\"");
  }
  EXPECT_EQ(make_message(placeholders_of_names({{"#" + std::string(255, 'a'), "a"}})),
            "ExpressionAttributeNames contains invalid key: The expression attribute map contains a key that is too "
            "long; size of key: 256");
}

TEST(Binding, a_name_stands_for_something) {
  EXPECT_EQ(make_message(placeholders_of_names({{"#a", ""}})),
            "ExpressionAttributeNames contains invalid value: Empty attribute name for key #a");
}

TEST(Binding, finds_values_in_any_order) {
  const Placeholders placeholders =
      placeholders_of({{"#a", "x"}, {"#b", "y"}, {"#c", "z"}}, {{":a", n(1)}, {":b", n(2)}});
  Binding binding = Binding::make(placeholders, true).value();
  EXPECT_EQ(binding.name("#c"), "z");
  EXPECT_EQ(binding.name("#a"), "x");
  EXPECT_EQ(binding.name("#a"), "x");
  EXPECT_EQ(binding.name("#b"), "y");
  EXPECT_EQ(binding.name("#d"), std::nullopt);
  EXPECT_EQ(binding.value(":b").value(), n(2).view());
  EXPECT_EQ(binding.value(":a").value(), n(1).view());
  EXPECT_FALSE(binding.value(":c").has_value());
  EXPECT_TRUE(binding.all_used().has_value());
}

TEST(Binding, unused_placeholders_are_refused_names_first) {
  const Placeholders both = placeholders_of({{"#a", "x"}, {"#b", "y"}}, {{":v", n(1)}});
  Binding binding = Binding::make(both, true).value();
  binding.name("#a");
  EXPECT_EQ(message_of(binding.all_used()),
            "Value provided in ExpressionAttributeNames unused in expressions: keys: {#b}");
  binding.name("#b");
  EXPECT_EQ(message_of(binding.all_used()),
            "Value provided in ExpressionAttributeValues unused in expressions: keys: {:v}");
}

TEST(Binding, unused_keys_are_listed_in_the_order_of_a_java_set) {
  const Placeholders values = placeholders_of({{":b", n(1)}, {":a", n(1)}, {":unused", n(1)}});
  const Binding binding = Binding::make(values, true).value();
  EXPECT_EQ(message_of(binding.all_used()),
            "Value provided in ExpressionAttributeValues unused in expressions: keys: {:unused, :a, :b}");
}

TEST(Binding, without_values_nothing_is_bound) {
  const Placeholders nothing;
  Binding binding = Binding::make(nothing, false, false).value();
  EXPECT_EQ(binding.name("#a"), std::nullopt);
  EXPECT_TRUE(binding.all_used().has_value());
}

}  // namespace
}  // namespace trestle
