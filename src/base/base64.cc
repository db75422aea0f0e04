#include "base/base64.h"

#include <array>
#include <cstdint>

namespace trestle {
namespace {

constexpr std::string_view kStandard = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::string_view kUrl = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
constexpr uint8_t kNone = 0xFF;

constexpr std::array<uint8_t, 256> values_of(std::string_view alphabet) {
  std::array<uint8_t, 256> values{};
  values.fill(kNone);
  for (size_t i = 0; i < alphabet.size(); ++i) values[static_cast<uint8_t>(alphabet[i])] = static_cast<uint8_t>(i);
  return values;
}
constexpr auto kStandardValues = values_of(kStandard);
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

// Nothing if there is another character, an impossible length, or stray bits at the end.
std::optional<std::string> decoded(std::string_view digits, const std::array<uint8_t, 256>& values) {
  if (digits.size() % 4 == 1) return std::nullopt;
  std::string out;
  out.reserve(digits.size() * 6 / 8);
  uint32_t bits = 0;
  int count = 0;
  for (const char c : digits) {
    const uint8_t value = values[static_cast<uint8_t>(c)];
    if (value == kNone) return std::nullopt;
    bits = bits << 6 | value;
    count += 6;
    if (count >= 8) {
      count -= 8;
      out.push_back(static_cast<char>(bits >> count));
      bits &= (1u << count) - 1;
    }
  }
  if (bits != 0) return std::nullopt;
  return out;
}

}  // namespace

void append_base64(std::string& out, std::string_view bytes) { append_encoded(out, bytes, kStandard, true); }

std::string base64_text(std::string_view bytes) {
  std::string out;
  append_base64(out, bytes);
  return out;
}

std::optional<std::string> base64_bytes(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  size_t digits = text.size();
  for (int i = 0; i < 2 && digits > 0 && text[digits - 1] == '='; ++i) --digits;
  return decoded(text.substr(0, digits), kStandardValues);
}

std::string base64url_text(std::string_view bytes) {
  std::string out;
  append_encoded(out, bytes, kUrl, false);
  return out;
}

std::optional<std::string> base64url_bytes(std::string_view text) { return decoded(text, kUrlValues); }

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
