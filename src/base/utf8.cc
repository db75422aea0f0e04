#include "base/utf8.h"

#include <algorithm>

namespace trestle {
namespace {

// The length of the first character; 0: not valid UTF-8. The text must not be empty.
size_t character_bytes(std::string_view text) {
  const auto* at = reinterpret_cast<const unsigned char*>(text.data());
  if (*at < 0x80) return 1;
  const size_t more = *at >= 0xF0 ? 3 : *at >= 0xE0 ? 2 : 1;
  if (*at < 0xC2 || *at > 0xF4 || text.size() <= more) return 0;
  uint32_t point = *at & (0x3F >> more);
  for (size_t i = 1; i <= more; ++i) {
    if (!continues_character(text[i])) return 0;
    point = point << 6 | (at[i] & 0x3F);
  }
  if (more == 2 && (point < 0x800 || (point >= 0xD800 && point <= 0xDFFF))) return 0;
  if (more == 3 && (point < 0x10000 || point > 0x10FFFF)) return 0;
  return more + 1;
}

}  // namespace

void append_utf8(std::string& out, uint32_t point) {
  if (point < 0x80) {
    out += static_cast<char>(point);
    return;
  }
  const int more = point < 0x800 ? 1 : point < 0x10000 ? 2 : 3;
  constexpr unsigned char kLead[] = {0, 0xC0, 0xE0, 0xF0};
  out += static_cast<char>(kLead[more] | point >> (6 * more));
  for (int i = more - 1; i >= 0; --i) out += static_cast<char>(0x80 | (point >> (6 * i) & 0x3F));
}

size_t characters_of(std::string_view text) {
  return static_cast<size_t>(std::ranges::count_if(text, [](char c) { return !continues_character(c); }));
}

size_t utf16_units(std::string_view text) {
  size_t units = 0;
  for (const char c : text) {
    units += !continues_character(c);
    units += static_cast<unsigned char>(c) >= 0xF0;
  }
  return units;
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const size_t bytes = character_bytes(text);
    if (bytes == 0) return false;
    text.remove_prefix(bytes);
  }
  return true;
}

std::string valid_utf8(std::string_view text, size_t bytes_max) {
  constexpr std::string_view kReplacement = "\xEF\xBF\xBD";
  std::string out;
  while (!text.empty()) {
    const size_t bytes = character_bytes(text);
    const std::string_view next = bytes == 0 ? kReplacement : text.substr(0, bytes);
    if (out.size() + next.size() > bytes_max) break;
    out += next;
    text.remove_prefix(bytes == 0 ? 1 : bytes);
  }
  return out;
}

}  // namespace trestle
