#include "protocol/json/json_output.h"

#include <gtest/gtest.h>

namespace trestle {
namespace {

std::string json_string_of(std::string_view text) {
  std::string out;
  append_json_string(out, text);
  return out;
}

TEST(JsonOutput, commas_stand_between_members_and_elements_only) {
  std::string out = "before,";
  JsonOutput json(out);
  json.begin_object();
  json.member("a", "x");
  json.key("b").begin_array();
  json.integer(1);
  json.begin_object();
  json.end_object();
  json.begin_object();
  json.end_object();
  json.end_array();
  json.member("c", true);
  json.end_object();
  EXPECT_EQ(out, R"(before,{"a":"x","b":[1,{},{}],"c":true})");
}

TEST(JsonOutput, strings_escape_what_json_requires_and_nothing_else) {
  EXPECT_EQ(json_string_of("a\"b\\c\n\r\t\b\f"), R"("a\"b\\c\n\r\t\b\f")");
  EXPECT_EQ(json_string_of(std::string("\0\x1f", 2)), R"("\u0000\u001f")");
  EXPECT_EQ(json_string_of("/\x7f\u00e9\u20ac\U0001F600"), "\"/\x7f\u00e9\u20ac\U0001F600\"");
}

TEST(JsonOutput, an_escape_is_found_at_every_position_of_a_long_string) {
  for (size_t length = 1; length < 40; ++length) {
    for (size_t at = 0; at < length; ++at) {
      std::string text(length, '\xc3');
      text[at] = '"';
      std::string expected = "\"";
      expected.append(text, 0, at).append("\\\"").append(text, at + 1).append("\"");
      ASSERT_EQ(json_string_of(text), expected);
    }
  }
}

TEST(JsonOutput, numbers_are_as_java_prints_them) {
  std::string out;
  JsonOutput json(out);
  json.begin_array();
  json.decimal(1);
  json.decimal(0.5);
  json.decimal(0);
  json.decimal(12.25);
  json.integer(-7);
  json.timestamp_ms(1700000000007);
  json.end_array();
  EXPECT_EQ(out, "[1.0,0.5,0.0,12.25,-7,1700000000.007]");
}

}  // namespace
}  // namespace trestle
