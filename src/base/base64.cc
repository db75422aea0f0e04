#include "base/base64.h"

#include <array>
#include <cstdint>

namespace trestle {
namespace {

constexpr std::string_view kUrl = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
constexpr uint8_t kNone = 0xFF;

constexpr std::array<uint8_t, 256> values_of(std::string_view alphabet) {
  std::array<uint8_t, 256> values{};
  values.fill(kNone);
  for (size_t i = 0; i < alphabet.size(); ++i) values[static_cast<uint8_t>(alphabet[i])] = static_cast<uint8_t>(i);
  return values;
}
constexpr auto kStandardValues = values_of(kBase64Digits);
constexpr auto kUrlValues = values_of(kUrl);

void append_encoded(std::string& out, std::string_view bytes, std::string_view alphabet, bool padded) {
  const size_t start = out.size();
  out.resize(start + (bytes.size() + 2) / 3 * 4);
  char* to = out.data() + start;
  const auto* from = reinterpret_cast<const unsigned char*>(bytes.data());
  size_t left = bytes.size();
  for (; left >= 3; left -= 3, from += 3, to += 4) {
    const uint32_t group = uint32_t{from[0]} << 16 | uint32_t{from[1]} << 8 | from[2];
    to[0] = alphabet[group >> 18];
    to[1] = alphabet[group >> 12 & 63];
    to[2] = alphabet[group >> 6 & 63];
    to[3] = alphabet[group & 63];
  }
  if (left == 0) return;
  const uint32_t group = uint32_t{from[0]} << 16 | (left == 2 ? uint32_t{from[1]} << 8 : 0);
  to[0] = alphabet[group >> 18];
  to[1] = alphabet[group >> 12 & 63];
  to[2] = left == 2 ? alphabet[group >> 6 & 63] : '=';
  to[3] = '=';
  if (!padded) out.resize(out.size() - (3 - left));
}

// Decodes digits without padding and appends the bytes. Returns false and appends nothing if there is an invalid
// character, an impossible length, or unused bits that are not zero.
bool append_decoded(std::string& out, std::string_view digits, const std::array<uint8_t, 256>& values) {
  if (digits.size() % 4 == 1) return false;
  const auto value = [&](size_t i) { return values[static_cast<uint8_t>(digits[i])]; };
  const size_t start = out.size();
  out.resize(start + digits.size() * 6 / 8);
  char* to = out.data() + start;
  uint8_t bad = 0;         // an invalid digit has a value above 63, which sets its high bits here
  uint8_t stray_bits = 0;  // the unused bits of the last digit, which must be zero
  size_t i = 0;
  for (; i + 4 <= digits.size(); i += 4) {
    const uint8_t a = value(i), b = value(i + 1), c = value(i + 2), d = value(i + 3);
    bad |= a | b | c | d;
    const uint32_t bits = uint32_t{a} << 18 | uint32_t{b} << 12 | uint32_t{c} << 6 | d;
    *to++ = static_cast<char>(bits >> 16);
    *to++ = static_cast<char>(bits >> 8);
    *to++ = static_cast<char>(bits);
  }
  if (i < digits.size()) {
    const uint8_t a = value(i), b = value(i + 1);
    bad |= a | b;
    *to++ = static_cast<char>(a << 2 | (b & 63) >> 4);
    stray_bits = b & 15;
    if (i + 2 < digits.size()) {
      const uint8_t c = value(i + 2);
      bad |= c;
      *to++ = static_cast<char>((b & 15) << 4 | (c & 63) >> 2);
      stray_bits = c & 3;
    }
  }
  if (bad <= 63 && stray_bits == 0) return true;
  out.resize(start);
  return false;
}

}  // namespace

void append_base64(std::string& out, std::string_view bytes) { append_encoded(out, bytes, kBase64Digits, true); }

std::string base64_text(std::string_view bytes) {
  std::string out;
  append_base64(out, bytes);
  return out;
}

bool append_base64_bytes(std::string& out, std::string_view text) {
  if (text.size() % 4 != 0) return false;
  size_t digits = text.size();
  for (int i = 0; i < 2 && digits > 0 && text[digits - 1] == '='; ++i) --digits;
  return append_decoded(out, text.substr(0, digits), kStandardValues);
}

std::optional<std::string> base64_bytes(std::string_view text) {
  std::string out;
  if (!append_base64_bytes(out, text)) return std::nullopt;
  return out;
}

std::string base64url_text(std::string_view bytes) {
  std::string out;
  append_encoded(out, bytes, kUrl, false);
  return out;
}

std::optional<std::string> base64url_bytes(std::string_view text) {
  std::string out;
  if (!append_decoded(out, text, kUrlValues)) return std::nullopt;
  return out;
}

bool is_base64url(std::string_view text) {
  if (text.size() % 4 == 1) return false;
  for (const char c : text) {
    if (kUrlValues[static_cast<uint8_t>(c)] == kNone) return false;
  }
  if (text.size() % 4 == 0) return true;
  const uint8_t last = kUrlValues[static_cast<uint8_t>(text.back())];
  return (last & (text.size() % 4 == 2 ? 15 : 3)) == 0;
}

}  // namespace trestle
