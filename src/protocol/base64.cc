#include "protocol/base64.h"

#include <array>
#include <cstdint>

namespace trestle {
namespace {

constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr uint8_t kNone = 0xFF;

constexpr std::array<uint8_t, 256> make_values() {
  std::array<uint8_t, 256> values{};
  values.fill(kNone);
  for (size_t i = 0; i < kAlphabet.size(); ++i)
    values[static_cast<unsigned char>(kAlphabet[i])] = static_cast<uint8_t>(i);
  return values;
}
constexpr std::array<uint8_t, 256> kValues = make_values();

uint8_t value_of(char c) { return kValues[static_cast<unsigned char>(c)]; }

std::unexpected<Error> not_base64(std::string message) {
  return failure(ErrorCode::kSerialization, std::move(message));
}

}  // namespace

Result<void> append_base64_decoded(std::string& out, std::string_view text) {
  if (text.size() % 4 != 0) {
    return not_base64("Base64 encoded length is expected a multiple of 4 bytes but found: " +
                      std::to_string(text.size()));
  }
  size_t digits = text.size();
  for (int i = 0; i < 2 && digits > 0 && text[digits - 1] == '='; ++i) --digits;
  const size_t start = out.size();
  out.resize(start + digits * 6 / 8);
  char* to = out.data() + start;
  uint32_t bits = 0;
  uint8_t bad = 0;  // a value above 63 leaves its high bits here
  size_t i = 0;
  for (; i + 4 <= digits; i += 4) {
    const uint8_t a = value_of(text[i]), b = value_of(text[i + 1]), c = value_of(text[i + 2]),
                  d = value_of(text[i + 3]);
    bad |= a | b | c | d;
    bits = uint32_t{a} << 18 | uint32_t{b} << 12 | uint32_t{c} << 6 | d;
    *to++ = static_cast<char>(bits >> 16);
    *to++ = static_cast<char>(bits >> 8);
    *to++ = static_cast<char>(bits);
  }
  uint32_t unused_bits = 0;  // of the last digit, must be zero
  if (digits - i == 2) {
    const uint8_t a = value_of(text[i]), b = value_of(text[i + 1]);
    bad |= a | b;
    *to++ = static_cast<char>(a << 2 | (b & 63) >> 4);
    unused_bits = b & 15;
  } else if (digits - i == 3) {
    const uint8_t a = value_of(text[i]), b = value_of(text[i + 1]), c = value_of(text[i + 2]);
    bad |= a | b | c;
    *to++ = static_cast<char>(a << 2 | (b & 63) >> 4);
    *to++ = static_cast<char>((b & 15) << 4 | (c & 63) >> 2);
    unused_bits = c & 3;
  }
  if (unused_bits != 0) return not_base64("Invalid last non-pad Base64 character dectected");
  if (bad > 63) {
    size_t at = 0;
    while (value_of(text[at]) != kNone) ++at;
    return not_base64("Invalid base 64 character: '" + std::string(1, text[at]) + "'");
  }
  return {};
}

}  // namespace trestle
