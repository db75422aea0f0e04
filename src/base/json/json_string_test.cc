#include "base/json/json_string.h"

#include <gtest/gtest.h>

#include <random>

namespace trestle {
namespace {

std::string escaped(std::string_view text, ControlEscapes controls = ControlEscapes::kShort) {
  std::string out;
  append_json_string(out, text, controls);
  return out;
}

// A byte-by-byte reference implementation.
std::string escaped_slowly(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? "\\\"" : c == '\\' ? "\\\\" : c == '\x01' ? "\\u0001" : std::string(1, c);
  return out + '"';
}

TEST(JsonString, backspace_and_form_feed_have_two_forms) {
  EXPECT_EQ(escaped("\b\f\n\x01", ControlEscapes::kShort), R"("\b\f\n\u0001")");
  EXPECT_EQ(escaped("\b\f\n\x01", ControlEscapes::kHexadecimal), R"("\u0008\u000c\n\u0001")");
}

TEST(JsonString, no_text_is_an_empty_one) { EXPECT_EQ(escaped(std::string_view()), "\"\""); }

TEST(JsonString, escapes_are_found_wherever_they_are) {
  std::mt19937 random(7);
  for (int i = 0; i < 20'000; ++i) {
    std::string text(random() % 120, 'a');
    for (char& c : text) c = static_cast<char>(0x80 + random() % 0x80);
    for (unsigned special = random() % 4; special > 0 && !text.empty(); --special) {
      text[random() % text.size()] = "\"\\\x01"[random() % 3];
    }
    EXPECT_EQ(escaped(text), escaped_slowly(text));
    EXPECT_EQ(is_plain_json(text), escaped_slowly(text).size() == text.size() + 2);
  }
}

// The string grows geometrically, however many strings are appended.
TEST(JsonString, appending_is_linear) {
  std::string out;
  size_t moves = 0;
  const char* at = out.data();
  for (int i = 0; i < 100'000; ++i) {
    append_json_string(out, "0123456789");
    if (out.data() != at) ++moves;
    at = out.data();
  }
  EXPECT_EQ(out.size(), 1'200'000);
  EXPECT_LT(moves, 40);
}

}  // namespace
}  // namespace trestle
