#include "base/json/json_string.h"

#include <array>

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

// Branch-free, so that the compiler vectorizes the loop.
template <size_t kBytes>
bool any_special(const char* at) {
  unsigned char found = 0;
  for (size_t i = 0; i < kBytes; ++i) {
    const auto c = static_cast<unsigned char>(at[i]);
    found |= static_cast<unsigned char>((c < 0x20) | (c == '"') | (c == '\\'));
  }
  return found != 0;
}

// The length of the prefix that needs no escapes.
size_t clean_length(std::string_view text) {
  size_t i = 0;
  while (i + 32 <= text.size() && !any_special<32>(text.data() + i)) i += 32;
  while (i + 8 <= text.size() && !any_special<8>(text.data() + i)) i += 8;
  while (i < text.size() && !is_special(text[i])) ++i;
  return i;
}

// Appends a text that needs no escapes, in quotes, with a single capacity check.
void append_quoted(std::string& out, std::string_view text) {
  const size_t begin = out.size();
  const size_t end = begin + text.size() + 2;
  // If the string has grown, libstdc++ 12 passes the capacity instead of the size, so the argument is not used.
  out.resize_and_overwrite(end, [&](char* bytes, size_t) {
    bytes[begin] = '"';
    text.copy(bytes + begin + 1, text.size());
    bytes[end - 1] = '"';
    return end;
  });
}

}  // namespace

bool is_plain_json(std::string_view text) { return clean_length(text) == text.size(); }

void append_json_string(std::string& out, std::string_view text, ControlEscapes controls) {
  size_t clean = clean_length(text);
  if (clean == text.size()) [[likely]] {
    append_quoted(out, text);
    return;
  }
  out.push_back('"');
  while (true) {
    out.append(text.substr(0, clean));
    if (clean == text.size()) break;
    append_escape(out, text[clean], controls);
    text.remove_prefix(clean + 1);
    clean = clean_length(text);
  }
  out.push_back('"');
}

}  // namespace trestle
