// DynamoDB's Number: an exact decimal of up to 38 significant digits, with a magnitude from 1E-130 to 9.99...E+125.
//
// Once a request has been parsed, every number is *canonical text*: plain decimal notation as DynamoDB returns it,
// without exponent, superfluous zeros or negative zero ("100", "-0.5", "0"). Two numbers are equal exactly when their
// canonical texts are identical, so items store the text; Number is for arithmetic and key encoding.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "model/error.h"

namespace trestle {

inline constexpr int kNumberDigitsMax = 38;
inline constexpr int kNumberExponentMax = 125;
inline constexpr int kNumberExponentMin = -130;

struct Number {
  bool negative = false;
  int exponent = 0;  // exponent of the first digit: 123 is 1.23E2
  int count = 0;     // significant digits; 0 for zero
  std::array<uint8_t, kNumberDigitsMax> digits{};

  bool is_zero() const { return count == 0; }
  // Canonical text.
  std::string text() const;
};

// Parses a number from a client: optional sign, digits, point, exponent. Fails with DynamoDB's messages.
Result<Number> parse_number(std::string_view text);
// Converts a number from a client to canonical text. Has a fast path for short integers.
Result<std::string> canonical_number(std::string_view text);
// Converts canonical text to a Number. Cannot fail.
Number number_of(std::string_view canonical);

// The exact sum or difference. Fails with DynamoDB's messages if it overflows or needs more than 38 digits.
Result<Number> add(const Number& a, const Number& b);
Result<Number> subtract(const Number& a, const Number& b);

// The numeric order of two canonical texts.
std::strong_ordering compare_numbers(std::string_view a, std::string_view b);

// The size of a number as DynamoDB counts it.
size_t number_size_bytes(std::string_view canonical);

}  // namespace trestle
