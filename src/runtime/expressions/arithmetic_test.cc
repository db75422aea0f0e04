#include "runtime/expressions/arithmetic.h"

#include <gtest/gtest.h>

#include <random>

namespace trestle::runtime {
namespace {

std::string product(const char* a, const char* b) {
  const auto result = multiply(number_of(a), number_of(b));
  return result ? result->text() : "refused";
}
std::string quotient(const char* a, const char* b) {
  const auto result = divide(number_of(a), number_of(b));
  return result ? result->text() : "refused";
}

TEST(Arithmetic, products_are_exact_up_to_38_digits) {
  EXPECT_EQ(product("12", "-0.5"), "-6");
  EXPECT_EQ(product("0", "5"), "0");
  EXPECT_EQ(product("0.1", "0.1"), "0.01");
  EXPECT_EQ(product("99999999999999999999", "99999999999999999999"), "9999999999999999999800000000000000000000");
  EXPECT_EQ(product("12345678901234567890", "98765432109876543210"), "1219326311370217952237463801111263526900");
  EXPECT_EQ(product("1"
                    "0000000000000000000000000000000000000000000000000000000000000000000000",
                    "1"
                    "0000000000000000000000000000000000000000000000000000000000000000000000"),
            "refused");
}

TEST(Arithmetic, quotients_are_rounded_to_38_digits) {
  EXPECT_EQ(quotient("1", "4"), "0.25");
  EXPECT_EQ(quotient("1", "3"), "0.33333333333333333333333333333333333333");
  EXPECT_EQ(quotient("2", "3"), "0.66666666666666666666666666666666666667");
  EXPECT_EQ(quotient("100", "7"), "14.285714285714285714285714285714285714");
  EXPECT_EQ(quotient("-6", "0.5"), "-12");
  EXPECT_EQ(quotient("0", "5"), "0");
  EXPECT_EQ(quotient("5", "0"), "refused");
}

TEST(Arithmetic, a_product_divided_comes_back) {
  const unsigned seed = std::random_device{}();
  std::mt19937_64 random(seed);
  for (int i = 0; i < 5000; ++i) {
    const auto a = static_cast<int64_t>(random() >> (random() % 60)) * (random() % 2 == 0 ? 1 : -1);
    const auto b = static_cast<int64_t>(random() >> (1 + random() % 60)) + 1;
    const Number left = number_of(std::to_string(a)), right = number_of(std::to_string(b));
    const auto result = multiply(left, right);
    ASSERT_TRUE(result.has_value());
    const auto again = divide(*result, right);
    ASSERT_TRUE(again.has_value());
    if (result->count < kNumberDigitsMax) {
      ASSERT_EQ(again->text(), left.text()) << "seed " << seed << ": " << a << " * " << b;
    }
    int64_t whole = 0;
    if (!__builtin_mul_overflow(a, b, &whole)) {
      ASSERT_EQ(result->text(), std::to_string(whole)) << "seed " << seed;
    }
  }
}

}  // namespace
}  // namespace trestle::runtime
