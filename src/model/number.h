// DynamoDB's Number: a decimal of up to 38 significant digits, from 1E-130 to 9.99...E+125 in magnitude, exact.
//
// Once a request has been read, every number is *canonical text*: plain decimal notation as DynamoDB returns it, with
// no exponent, no leading or trailing zeros that carry no value, no negative zero ("100", "-0.5", "0"). Two numbers are
// equal exactly when their canonical texts are the same bytes, so text is what items store; Number is for arithmetic
// and key encoding.
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

// Reads what a client sent: optional sign, digits, point, exponent. Fails with DynamoDB's messages.
Result<Number> parse_number(std::string_view text);
// Canonical text of what a client sent. Has a fast path for short integers.
Result<std::string> canonical_number(std::string_view text);
// Canonical text to Number; cannot fail.
Number number_of(std::string_view canonical);

// Exact sum or difference, refused with DynamoDB's messages when it overflows or needs more than 38 digits.
Result<Number> add(const Number& a, const Number& b);
Result<Number> subtract(const Number& a, const Number& b);

// Numeric order of two canonical texts.
std::strong_ordering compare_numbers(std::string_view a, std::string_view b);

// The size DynamoDB counts for a number.
size_t number_size_bytes(std::string_view canonical);

}  // namespace trestle
