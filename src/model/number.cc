#include "model/number.h"

#include <algorithm>
#include <charconv>

#include "base/ascii.h"
#include "base/check.h"

namespace trestle {
namespace {

constexpr const char* kOverflow =
    "Number overflow. Attempting to store a number with magnitude larger than supported range";
constexpr const char* kUnderflow =
    "Number underflow. Attempting to store a number with magnitude smaller than supported range";
constexpr const char* kTooPrecise = "Attempting to store more than 38 significant digits in a Number";

std::unexpected<Error> not_a_number(std::string_view text) {
  return invalid("The parameter cannot be converted to a numeric value: " + std::string(text));
}

// A decimal as the client wrote it, before Number's limits are applied. `digits` has no leading zeros.
struct ParsedDecimal {
  bool negative = false;
  std::string digits;
  int64_t exponent = 0;  // of the first digit
};

// Reads the exponent after 'e'. It must fit 64 bits, as in DynamoDB; the result is clamped to far outside the range of
// Number.
bool read_exponent(std::string_view text, int64_t& exponent) {
  bool negative = false;
  if (!text.empty() && (text[0] == '+' || text[0] == '-')) {
    negative = text[0] == '-';
    text.remove_prefix(1);
  }
  if (text.empty()) return false;
  int64_t magnitude = 0;
  if (!is_digit(text[0])) return false;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), magnitude);
  if (error != std::errc() || end != text.data() + text.size()) return false;
  exponent = std::min<int64_t>(magnitude, 1'000'000'000) * (negative ? -1 : 1);
  return true;
}

bool parse_decimal(std::string_view text, ParsedDecimal& out) {
  if (!text.empty() && (text[0] == '+' || text[0] == '-')) {
    out.negative = text[0] == '-';
    text.remove_prefix(1);
  }
  bool any_digit = false;
  bool seen_point = false;
  int64_t integer_digits = 0;  // significant digits before the point
  int64_t fraction_zeros = 0;  // zeros after the point before the first significant digit
  size_t i = 0;
  for (; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '.') {
      if (seen_point) return false;
      seen_point = true;
      continue;
    }
    if (!is_digit(c)) break;
    any_digit = true;
    if (c == '0' && out.digits.empty()) {
      if (seen_point) ++fraction_zeros;
      continue;
    }
    out.digits.push_back(c);
    if (!seen_point) ++integer_digits;
  }
  if (!any_digit) return false;
  int64_t exponent = 0;
  if (i < text.size()) {
    if (text[i] != 'e' && text[i] != 'E') return false;
    if (!read_exponent(text.substr(i + 1), exponent)) return false;
  }
  // Zero has no significant digit, but DynamoDB still checks that its exponent is in range.
  out.exponent =
      out.digits.empty() ? exponent : exponent + (integer_digits > 0 ? integer_digits - 1 : -fraction_zeros - 1);
  return true;
}

// Converts digits (most significant first, 0..9) to a Number, if they are within its limits.
template <class Digits>
Result<Number> make_number(bool negative, const Digits& digits, size_t count, int64_t exponent) {
  while (count > 0 && digits[count - 1] == 0) --count;
  if (exponent > kNumberExponentMax) return invalid(kOverflow);
  if (exponent < kNumberExponentMin) return invalid(kUnderflow);
  if (count == 0) return Number{};
  if (count > static_cast<size_t>(kNumberDigitsMax)) return invalid(kTooPrecise);
  Number number;
  number.negative = negative;
  number.exponent = static_cast<int>(exponent);
  number.count = static_cast<int>(count);
  for (size_t i = 0; i < count; ++i) number.digits[i] = static_cast<uint8_t>(digits[i]);
  return number;
}

// Whether the text is already canonical and an integer of up to 38 digits without leading zeros. False for "0".
bool is_plain_integer(std::string_view text) {
  if (!text.empty() && text[0] == '-') text.remove_prefix(1);
  if (text.empty() || text.size() > static_cast<size_t>(kNumberDigitsMax) || text[0] == '0') return false;
  return std::all_of(text.begin(), text.end(), is_digit);
}

// Compares magnitudes, ignoring the signs.
std::strong_ordering compare_magnitude(const Number& a, const Number& b) {
  if (a.is_zero() || b.is_zero()) return a.count <=> b.count;
  if (a.exponent != b.exponent) return a.exponent <=> b.exponent;
  return std::lexicographical_compare_three_way(a.digits.begin(), a.digits.begin() + a.count, b.digits.begin(),
                                                b.digits.begin() + b.count);
}

// |a| + |b| or |a| - |b| (|a| >= |b|, both non-zero), with the sign `negative`.
Result<Number> combine(const Number& a, const Number& b, bool is_sum, bool negative) {
  const int top = std::max(a.exponent, b.exponent);
  const int bottom = std::min(a.exponent - a.count, b.exponent - b.count) + 1;
  const int width = top - bottom + 1;
  // For a sum with too many digits, DynamoDB reports an overflow if there are already too many digits before the point.
  const char* too_precise = top >= kNumberDigitsMax ? kOverflow : kTooPrecise;
  // One operand is so much smaller that the result cannot be written with 38 digits.
  if (width > 4 * kNumberDigitsMax) return invalid(too_precise);
  std::array<int, 4 * kNumberDigitsMax + 2> column{};  // column[0] receives the carry
  for (int i = 0; i < a.count; ++i) column[1 + top - a.exponent + i] += a.digits[i];
  for (int i = 0; i < b.count; ++i) column[1 + top - b.exponent + i] += is_sum ? b.digits[i] : -b.digits[i];
  for (int i = width; i > 0; --i) {
    const int carry = column[i] < 0 ? -1 : column[i] / 10;
    column[i] -= carry * 10;
    column[i - 1] += carry;
  }
  int first = 0;
  while (first <= width && column[first] == 0) ++first;
  if (first > width) return Number{};
  auto number = make_number(negative, &column[first], static_cast<size_t>(width - first + 1), top + 1 - first);
  if (!number && number.error().message == kTooPrecise) return invalid(too_precise);
  return number;
}

Result<Number> add_signed(const Number& a, const Number& b, bool b_negative) {
  if (b.is_zero()) return a;
  if (a.is_zero()) {
    Number sum = b;
    sum.negative = b_negative;
    return sum;
  }
  if (a.negative == b_negative) return combine(a, b, true, a.negative);
  if (compare_magnitude(a, b) >= 0) return combine(a, b, false, a.negative);
  return combine(b, a, false, b_negative);
}

}  // namespace

std::string Number::text() const {
  if (is_zero()) return "0";
  std::string out;
  if (negative) out.push_back('-');
  if (exponent < 0) {
    out.append("0.");
    out.append(static_cast<size_t>(-exponent - 1), '0');
  }
  for (int i = 0; i < count; ++i) {
    if (exponent >= 0 && i == exponent + 1) out.push_back('.');
    out.push_back(static_cast<char>('0' + digits[static_cast<size_t>(i)]));
  }
  if (exponent >= count) out.append(static_cast<size_t>(exponent + 1 - count), '0');
  return out;
}

Result<Number> parse_number(std::string_view text) {
  if (text.empty()) return invalid("The parameter cannot be converted to a numeric value");
  ParsedDecimal decimal;
  if (!parse_decimal(text, decimal)) return not_a_number(text);
  for (char& digit : decimal.digits) digit = static_cast<char>(digit - '0');
  return make_number(decimal.negative, decimal.digits, decimal.digits.size(), decimal.exponent);
}

Result<std::string> canonical_number(std::string_view text) {
  if (is_plain_integer(text) || text == "0") return std::string(text);
  TRY_INTO(const Number number, parse_number(text));
  return number.text();
}

Number number_of(std::string_view canonical) {
  auto number = parse_number(canonical);
  CHECK(number.has_value(), canonical);
  return *number;
}

Result<Number> add(const Number& a, const Number& b) { return add_signed(a, b, b.negative); }
Result<Number> subtract(const Number& a, const Number& b) { return add_signed(a, b, !b.negative); }

std::strong_ordering compare_numbers(std::string_view a, std::string_view b) {
  const bool a_negative = a.front() == '-';
  const bool b_negative = b.front() == '-';
  if (a_negative != b_negative) return a_negative ? std::strong_ordering::less : std::strong_ordering::greater;
  if (a_negative) {
    a.remove_prefix(1);
    b.remove_prefix(1);
    std::swap(a, b);
  }
  // Without leading zeros, the number with the longer integer part is greater. Otherwise byte order decides, because
  // '.' < '0'.
  const size_t a_integer = std::min(a.find('.'), a.size());
  const size_t b_integer = std::min(b.find('.'), b.size());
  if (a_integer != b_integer) return a_integer <=> b_integer;
  return a <=> b;
}

// One byte, plus one for each pair of significant digits, counted separately on either side of the point, plus one for
// a sign.
size_t number_size_bytes(std::string_view canonical) {
  if (canonical == "0") return 1;
  size_t size = 1;
  if (canonical.front() == '-') {
    ++size;
    canonical.remove_prefix(1);
  }
  const size_t point = canonical.find('.');
  std::string_view integer = canonical.substr(0, point);
  std::string_view fraction;
  if (point == std::string_view::npos) {
    integer = integer.substr(0, integer.find_last_not_of('0') + 1);
  } else {
    fraction = canonical.substr(point + 1);
  }
  if (integer == "0") {
    integer = {};
    fraction.remove_prefix(fraction.find_first_not_of('0'));
  }
  return size + (integer.size() + 1) / 2 + (fraction.size() + 1) / 2;
}

}  // namespace trestle
