#include "base/json_string.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace trestle {
namespace {

constexpr std::array<bool, 256> make_special() {
  std::array<bool, 256> special{};
  for (int c = 0; c < 0x20; ++c) special[static_cast<size_t>(c)] = true;
  special['"'] = true;
  special['\\'] = true;
  return special;
}
// Bytes that must be escaped in a JSON string.
constexpr std::array<bool, 256> kSpecial = make_special();

bool is_special(char c) { return kSpecial[static_cast<unsigned char>(c)]; }

void append_escape(std::string& out, char c, ControlEscapes controls) {
  switch (c) {
    case '"':
      out.append("\\\"");
      return;
    case '\\':
      out.append("\\\\");
      return;
    case '\n':
      out.append("\\n");
      return;
    case '\r':
      out.append("\\r");
      return;
    case '\t':
      out.append("\\t");
      return;
    default:
      if (controls == ControlEscapes::kShort && (c == '\b' || c == '\f')) {
        out.append(c == '\b' ? "\\b" : "\\f");
        return;
      }
      constexpr std::string_view kHex = "0123456789abcdef";
      out.append("\\u00");
      out.push_back(kHex[static_cast<unsigned char>(c) >> 4]);
      out.push_back(kHex[static_cast<unsigned char>(c) & 15]);
  }
}

// Whether any of eight bytes is below 0x20, a quote or a backslash. May give false positives for bytes above 0x7F.
bool any_special(const char* at) {
  uint64_t word;
  __builtin_memcpy(&word, at, 8);
  constexpr uint64_t kOnes = 0x0101010101010101;
  constexpr uint64_t kHigh = 0x8080808080808080;
  const uint64_t quote = word ^ (kOnes * '"');
  const uint64_t backslash = word ^ (kOnes * '\\');
  return (((word - kOnes * 0x20) | (quote - kOnes) | (backslash - kOnes)) & ~word & kHigh) != 0;
}

}  // namespace

void append_json_string(std::string& out, std::string_view text, ControlEscapes controls) {
  out.push_back('"');
  size_t clean_from = 0;
  size_t i = 0;
  while (i < text.size()) {
    if (i + 8 <= text.size() && !any_special(text.data() + i)) {
      i += 8;
      continue;
    }
    const size_t stop = std::min(i + 8, text.size());
    for (; i < stop; ++i) {
      if (!is_special(text[i])) continue;
      out.append(text.substr(clean_from, i - clean_from));
      append_escape(out, text[i], controls);
      clean_from = i + 1;
    }
  }
  out.append(text.substr(clean_from));
  out.push_back('"');
}

}  // namespace trestle
