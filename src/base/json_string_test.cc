#include "base/json_string.h"

#include <gtest/gtest.h>

namespace trestle {
namespace {

std::string escaped(std::string_view text, ControlEscapes controls) {
  std::string out;
  append_json_string(out, text, controls);
  return out;
}

TEST(JsonString, backspace_and_form_feed_have_two_forms) {
  EXPECT_EQ(escaped("\b\f\n\x01", ControlEscapes::kShort), R"("\b\f\n\u0001")");
  EXPECT_EQ(escaped("\b\f\n\x01", ControlEscapes::kHexadecimal), R"("\u0008\u000c\n\u0001")");
}

}  // namespace
}  // namespace trestle
