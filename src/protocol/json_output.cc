#include "protocol/json_output.h"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>

#include "protocol/base64.h"

namespace trestle {
namespace {

constexpr std::array<bool, 256> make_special() {
  std::array<bool, 256> special{};
  for (int c = 0; c < 0x20; ++c) special[static_cast<size_t>(c)] = true;
  special['"'] = true;
  special['\\'] = true;
  return special;
}
// Bytes that JSON does not let stand in a string.
constexpr std::array<bool, 256> kSpecial = make_special();

bool is_special(char c) { return kSpecial[static_cast<unsigned char>(c)]; }

void append_escape(std::string& out, char c) {
  switch (c) {
    case '"':
      out.append("\\\"");
      return;
    case '\\':
      out.append("\\\\");
      return;
    case '\b':
      out.append("\\b");
      return;
    case '\f':
      out.append("\\f");
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
      constexpr std::string_view kHex = "0123456789abcdef";
      out.append("\\u00");
      out.push_back(kHex[static_cast<unsigned char>(c) >> 4]);
      out.push_back(kHex[static_cast<unsigned char>(c) & 15]);
  }
}

// Whether any of eight bytes is below 0x20, a quote or a backslash. May say yes wrongly for bytes above 0x7F.
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

void append_json_string(std::string& out, std::string_view text) {
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
      append_escape(out, text[i]);
      clean_from = i + 1;
    }
  }
  out.append(text.substr(clean_from));
  out.push_back('"');
}

JsonOutput& JsonOutput::key_escaped(std::string_view name) {
  separate();
  append_json_string(out_, name);
  out_.push_back(':');
  return *this;
}

void JsonOutput::string(std::string_view text) {
  separate();
  append_json_string(out_, text);
}

void JsonOutput::integer(int64_t value) {
  separate();
  char digits[24];
  const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
  out_.append(digits, static_cast<size_t>(end - digits));
}

void JsonOutput::decimal(double value) {
  if (value == std::floor(value) && std::fabs(value) < 1e15) {
    integer(static_cast<int64_t>(value));
    out_.append(".0");
    return;
  }
  separate();
  fmt::format_to(std::back_inserter(out_), FMT_COMPILE("{}"), value);
}

void JsonOutput::timestamp_ms(int64_t ms) {
  separate();
  fmt::format_to(std::back_inserter(out_), FMT_COMPILE("{}.{:03}"), ms / 1000, ms % 1000);
}

void JsonOutput::binary(std::string_view bytes) {
  separate();
  out_.push_back('"');
  append_base64(out_, bytes);
  out_.push_back('"');
}

}  // namespace trestle
