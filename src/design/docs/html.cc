#include "design/docs/html.h"

#include <fmt/format.h>

#include "base/utf8.h"

namespace trestle::design {
namespace {

// The length in bytes of the first character of `text`. 0 if it is not valid UTF-8, or is a character that changes the
// text direction.
size_t character_length(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const size_t length = byte(0) < 0x80                      ? 1
                        : byte(0) >= 0xc2 && byte(0) < 0xe0 ? 2
                        : (byte(0) & 0xf0) == 0xe0          ? 3
                        : byte(0) >= 0xf0 && byte(0) < 0xf5 ? 4
                                                            : 0;
  if (length == 0 || length > text.size()) return 0;
  for (size_t i = 1; i < length; ++i) {
    if (!continues_character(text[i])) return 0;
  }
  const std::string_view character = text.substr(0, length);
  const bool turns =
      (character >= "\u202a" && character <= "\u202e") || (character >= "\u2066" && character <= "\u2069");
  return turns && length == 3 ? 0 : length;
}

}  // namespace

Html& Html::operator<<(double number) {
  out_ += fmt::format("{:.1f}", number);
  return *this;
}

void Html::add_text(std::string_view text) {
  while (!text.empty()) {
    const size_t length = character_length(text);
    const char c = text[0];
    if (length == 0 ||
        (length == 1 && ((static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t') || c == 0x7f))) {
      out_ += "\ufffd";
      text.remove_prefix(1);
      continue;
    }
    if (c == '&')
      out_ += "&amp;";
    else if (c == '<')
      out_ += "&lt;";
    else if (c == '>')
      out_ += "&gt;";
    else if (c == '"')
      out_ += "&quot;";
    else if (c == '\'')
      out_ += "&#39;";
    else
      out_ += text.substr(0, length);
    text.remove_prefix(length);
  }
}

}  // namespace trestle::design
