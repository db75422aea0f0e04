// Classifies and folds ASCII characters independently of the locale. A byte beyond ASCII is neither digit nor letter
// and is never changed. Pure.
#pragma once

#include <string>
#include <string_view>

namespace trestle {

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// The text in lower case.
inline std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

}  // namespace trestle
