#include "runtime/expressions/arithmetic.h"

#include <charconv>

namespace trestle::runtime {
namespace {

constexpr auto kDigitsMost = static_cast<size_t>(kNumberDigitsMax);

// Rounds to 38 digits. `digits` are most significant first; the first has the weight 10^exponent.
Result<Number> rounded(bool negative, std::vector<int>& digits, int64_t exponent) {
  size_t first = 0;
  while (first < digits.size() && digits[first] == 0) ++first;
  if (first == digits.size()) return Number{};
  exponent -= static_cast<int64_t>(first);
  size_t end = digits.size();
  if (end - first > kDigitsMost) {
    end = first + kDigitsMost;
    if (digits[end] >= 5) {
      size_t i = end;
      while (i > first && ++digits[i - 1] == 10) digits[--i] = 0;
      if (i == first) {  // all nines: the result is a 1 followed by zeros, one digit longer
        digits[first] = 1;
        end = first + 1;
        ++exponent;
      }
    }
  }
  while (end > first && digits[end - 1] == 0) --end;
  if (exponent > kNumberExponentMax || exponent < kNumberExponentMin) return invalid("The result is out of range.");
  Number result{.negative = negative, .exponent = static_cast<int>(exponent), .count = static_cast<int>(end - first)};
  for (size_t i = first; i < end; ++i) result.digits[i - first] = static_cast<uint8_t>(digits[i]);
  return result;
}

}  // namespace

Result<Number> multiply(const Number& a, const Number& b) {
  if (a.is_zero() || b.is_zero()) return Number{};
  const auto a_count = static_cast<size_t>(a.count), b_count = static_cast<size_t>(b.count);
  std::vector<int> digits(a_count + b_count, 0);
  for (size_t i = 0; i < a_count; ++i) {
    for (size_t j = 0; j < b_count; ++j) digits[i + j + 1] += a.digits[i] * b.digits[j];
  }
  for (size_t i = digits.size(); --i > 0;) {
    digits[i - 1] += digits[i] / 10;
    digits[i] %= 10;
  }
  return rounded(a.negative != b.negative, digits, int64_t{a.exponent} + b.exponent + 1);
}

Result<Number> divide(const Number& a, const Number& b) {
  if (b.is_zero()) return invalid("A number cannot be divided by zero.");
  if (a.is_zero()) return Number{};
  // Long division. The remainder is stored as digits, least significant first.
  const auto b_count = static_cast<size_t>(b.count);
  std::vector<int> remainder(b_count + 2, 0);
  const auto at_least = [&] {
    for (size_t i = remainder.size(); i-- > 0;) {
      const int divisor = i < b_count ? b.digits[b_count - 1 - i] : 0;
      if (remainder[i] != divisor) return remainder[i] > divisor;
    }
    return true;
  };
  const auto take_divisor = [&] {
    int borrow = 0;
    for (size_t i = 0; i < remainder.size(); ++i) {
      int digit = remainder[i] - borrow - (i < b_count ? b.digits[b_count - 1 - i] : 0);
      borrow = digit < 0 ? 1 : 0;
      remainder[i] = digit + borrow * 10;
    }
  };
  // The digits of both are divided as integers. The weight of the quotient's first digit is 10^(a.exponent - b.exponent
  // + b.count - 1).
  std::vector<int> digits;
  for (size_t i = 0; i < static_cast<size_t>(a.count) + b_count + kDigitsMost + 2; ++i) {
    remainder.insert(remainder.begin(), i < static_cast<size_t>(a.count) ? a.digits[i] : 0);
    remainder.pop_back();
    int digit = 0;
    for (; at_least(); ++digit) take_divisor();
    digits.push_back(digit);
  }
  return rounded(a.negative != b.negative, digits, int64_t{a.exponent} - b.exponent + b.count - 1);
}

std::optional<int64_t> integer_of(std::string_view canonical) {
  const std::string_view integer = canonical.substr(0, canonical.find('.'));
  int64_t value = 0;
  const auto [end, error] = std::from_chars(integer.data(), integer.data() + integer.size(), value);
  if (error != std::errc() || end != integer.data() + integer.size()) return std::nullopt;
  return value;
}

bool is_integer(std::string_view canonical) { return canonical.find('.') == std::string_view::npos; }

}  // namespace trestle::runtime
