#include "model/number.h"

#include <gtest/gtest.h>

#include <random>

namespace trestle {
namespace {

std::string canonical(std::string_view text) {
  auto result = canonical_number(text);
  return result ? *result : result.error().message;
}

TEST(Number, canonical_text_is_what_dynamodb_returns) {
  EXPECT_EQ(canonical("0"), "0");
  EXPECT_EQ(canonical("-0"), "0");
  EXPECT_EQ(canonical("0042.1200"), "42.12");
  EXPECT_EQ(canonical("+7"), "7");
  EXPECT_EQ(canonical("1e3"), "1000");
  EXPECT_EQ(canonical("1.5E-3"), "0.0015");
  EXPECT_EQ(canonical("-.5"), "-0.5");
  EXPECT_EQ(canonical("5."), "5");
  EXPECT_EQ(canonical("1E125"), "1" + std::string(125, '0'));
  EXPECT_EQ(canonical("1e-130"), "0." + std::string(129, '0') + "1");
  EXPECT_EQ(canonical("123456789012345678901234567890123456780000"), "123456789012345678901234567890123456780000");
}

TEST(Number, malformed_text_is_refused_and_echoed) {
  for (const char* text : {" 1", "1 ", "0x10", "1e", "1.2.3", "NaN", "Infinity", "abc", "-", ".", "e5", "1e+-3",
                           "1e9223372036854775808"}) {
    EXPECT_EQ(canonical(text), std::string("The parameter cannot be converted to a numeric value: ") + text);
  }
  EXPECT_EQ(canonical(""), "The parameter cannot be converted to a numeric value");
}

TEST(Number, the_range_and_precision_are_dynamodbs) {
  const std::string overflow =
      "Number overflow. Attempting to store a number with magnitude larger than supported range";
  const std::string underflow =
      "Number underflow. Attempting to store a number with magnitude smaller than supported range";
  EXPECT_EQ(canonical("1e126"), overflow);
  EXPECT_EQ(canonical("-1e126"), overflow);
  EXPECT_EQ(canonical("1e2147483647"), overflow);
  EXPECT_EQ(canonical("1e-131"), underflow);
  EXPECT_EQ(canonical("0e126"), overflow);
  EXPECT_EQ(canonical("0e-131"), underflow);
  EXPECT_EQ(canonical("0e125"), "0");
  EXPECT_EQ(canonical(std::string(39, '1')), "Attempting to store more than 38 significant digits in a Number");
  EXPECT_EQ(canonical(std::string(38, '9')), std::string(38, '9'));
}

TEST(Number, sizes_are_dynamodbs) {
  const std::pair<const char*, size_t> cases[] = {
      {"0", 1},       {"1", 2},      {"12", 2},
      {"123", 3},     {"1234", 3},   {"0042", 2},
      {"100", 2},     {"1010", 3},   {"0.0000001", 2},
      {"1E125", 2},   {"1E-100", 2}, {"1.5", 3},
      {"15", 2},      {"1.200", 3},  {"1.234", 4},
      {"3.14159", 5}, {"123456", 4}, {"100.5", 4},
      {"0.15", 2},    {"-42", 3},    {"12345678901234567890123456789012345678", 20},
  };
  for (const auto& [text, size] : cases) EXPECT_EQ(number_size_bytes(canonical(text)), size) << text;
}

TEST(Number, arithmetic_is_exact_and_refuses_what_does_not_fit) {
  const auto sum = [](const char* a, const char* b) {
    auto result = add(number_of(a), number_of(b));
    return result ? result->text() : result.error().message;
  };
  const auto difference = [](const char* a, const char* b) {
    auto result = subtract(number_of(a), number_of(b));
    return result ? result->text() : result.error().message;
  };
  EXPECT_EQ(sum("0.1", "0.2"), "0.3");
  EXPECT_EQ(sum("999", "1"), "1000");
  EXPECT_EQ(sum("-5", "5"), "0");
  EXPECT_EQ(sum("5", "-7"), "-2");
  EXPECT_EQ(difference("1000", "0.001"), "999.999");
  EXPECT_EQ(difference("3", "-4"), "7");
  EXPECT_EQ(difference("0", "4"), "-4");
  EXPECT_EQ(sum("99999999999999999999999999999999999999", "1"), "1" + std::string(38, '0'));
  EXPECT_EQ(sum("1e30", "1e-30"), "Attempting to store more than 38 significant digits in a Number");
  EXPECT_TRUE(sum("1e50", "1").starts_with("Number overflow"));
  EXPECT_TRUE(sum("1e100", "1e-100").starts_with("Number overflow"));
  const std::string largest = "9.9999999999999999999999999999999999999E125";
  auto overflow = add(number_of(largest), number_of(largest));
  ASSERT_FALSE(overflow.has_value());
  EXPECT_TRUE(overflow.error().message.starts_with("Number overflow"));
}

TEST(Number, arithmetic_agrees_with_machine_integers) {
  const auto seed = std::random_device{}();
  SCOPED_TRACE(seed);
  std::mt19937_64 random(seed);
  for (int i = 0; i < 2000; ++i) {
    const auto a = static_cast<int64_t>(random()) >> (random() % 60 + 2);
    const auto b = static_cast<int64_t>(random()) >> (random() % 60 + 2);
    EXPECT_EQ(add(number_of(std::to_string(a)), number_of(std::to_string(b)))->text(), std::to_string(a + b));
    EXPECT_EQ(subtract(number_of(std::to_string(a)), number_of(std::to_string(b)))->text(), std::to_string(a - b));
    EXPECT_EQ(compare_numbers(std::to_string(a), std::to_string(b)), a <=> b);
  }
}

TEST(Number, order_of_canonical_text_is_numeric) {
  const char* ascending[] = {"-1e125", "-100", "-10.5", "-10", "-1", "-0.5", "-0.05", "0",   "1e-130", "0.05",
                             "0.5",    "1",    "1.05",  "1.5", "9",  "10",   "10.5",  "100", "1e125"};
  for (size_t i = 0; i < std::size(ascending); ++i) {
    for (size_t j = 0; j < std::size(ascending); ++j) {
      EXPECT_EQ(compare_numbers(canonical(ascending[i]), canonical(ascending[j])), i <=> j)
          << ascending[i] << " " << ascending[j];
    }
  }
}

}  // namespace
}  // namespace trestle
