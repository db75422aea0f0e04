#include "base/json/json_writer.h"

#include <gtest/gtest.h>

namespace trestle {
namespace {

TEST(JsonWriter, members_keep_their_order_and_a_second_set_replaces) {
  Json result = Json::object({{"b", 1}, {"a", true}});
  result.set("c", Json()).set("b", "x");
  EXPECT_EQ(result.text(), "{\"b\": \"x\", \"a\": true, \"c\": null}\n");
}

TEST(JsonWriter, strings_are_escaped_as_json_demands) {
  EXPECT_EQ(json_quoted("a\"b\\c\n\t\x01/é"), "\"a\\\"b\\\\c\\n\\t\\u0001/é\"");
}

TEST(JsonWriter, nested_values_are_indented_and_empty_ones_are_not) {
  Json result =
      Json::object({{"list", Json::array({Json::object({{"x", Json::array({1, 2})}})})}, {"none", Json::array()}});
  EXPECT_EQ(result.text(), "{\n  \"list\": [\n    {\n      \"x\": [1, 2]\n    }\n  ],\n  \"none\": []\n}\n");
}

TEST(JsonWriter, a_number_keeps_every_digit) {
  EXPECT_EQ(Json::number("0.12345678901234567890123456789012345678").text(),
            "0.12345678901234567890123456789012345678\n");
}

TEST(JsonWriter, long_lines_are_broken) {
  Json result = Json::array();
  for (int i = 0; i < 20; ++i) result.add("a value of some length");
  EXPECT_NE(result.text().find("\n  \"a value"), std::string::npos);
}

TEST(JsonWriter, a_long_string_stays_a_string) {
  const std::string text(300, 'x');
  EXPECT_EQ(Json::object({{"a", text}}).text(), "{\n  \"a\": \"" + text + "\"\n}\n");
}

}  // namespace
}  // namespace trestle
