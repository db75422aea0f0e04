#include "protocol/json/base64.h"

#include <gtest/gtest.h>

#include "base/base64.h"

namespace trestle {
namespace {

std::string decoded(std::string_view text) {
  std::string bytes;
  const auto result = append_base64_decoded(bytes, text);
  return result.has_value() ? bytes : "refused: " + result.error().message;
}

TEST(Base64, text_of_bytes_has_padding) {
  for (const auto& [bytes, text] : {std::pair<std::string, std::string>{"", ""},
                                    {"f", "Zg=="},
                                    {"fo", "Zm8="},
                                    {"foo", "Zm9v"},
                                    {"foobar", "Zm9vYmFy"},
                                    {std::string("\xff\xfe\x00", 3), "//4A"}}) {
    std::string out = "x";
    append_base64(out, bytes);
    EXPECT_EQ(out, "x" + text);
    EXPECT_EQ(decoded(text), bytes);
  }
}

TEST(Base64, every_length_and_byte_survives_the_round_trip) {
  std::string bytes;
  for (int i = 0; i < 300; ++i) {
    std::string text;
    append_base64(text, bytes);
    ASSERT_EQ(decoded(text), bytes);
    bytes.push_back(static_cast<char>(i * 7));
  }
}

TEST(Base64, a_length_that_is_not_a_multiple_of_four_is_refused) {
  EXPECT_EQ(decoded("23456"), "refused: Base64 encoded length is expected a multiple of 4 bytes but found: 5");
}

TEST(Base64, unused_bits_of_the_last_character_must_be_zero) {
  EXPECT_EQ(decoded("+/+="), "refused: Invalid last non-pad Base64 character dectected");
  EXPECT_EQ(decoded("=+/="), "refused: Invalid last non-pad Base64 character dectected");
  EXPECT_EQ(decoded("/x=="), "refused: Invalid last non-pad Base64 character dectected");
}

TEST(Base64, a_character_outside_the_alphabet_is_refused) {
  EXPECT_EQ(decoded("a%bc"), "refused: Invalid base 64 character: '%'");
  EXPECT_EQ(decoded("ab_c"), "refused: Invalid base 64 character: '_'");
}

TEST(Base64, text_that_is_not_ascii_is_refused_whole) {
  EXPECT_EQ(decoded("AQ\u00e9"), "refused: Invalid character found at position 2 for AQ\u00e9");
  EXPECT_EQ(decoded("\u20ac\u20ac"), "refused: Invalid character found at position 0 for \u20ac\u20ac");
}

}  // namespace
}  // namespace trestle
