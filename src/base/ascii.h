// Classifies ASCII characters and converts them to lower case, independently of the locale. Bytes beyond ASCII are
// neither digits nor letters and are never changed. Pure.
#pragma once

#include <string>
#include <string_view>

namespace trestle {

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// The text with ASCII letters in lower case.
inline std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

}  // namespace trestle
