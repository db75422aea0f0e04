// Classifies, compares and converts ASCII characters, independently of the locale. Bytes beyond ASCII are
// neither digits nor letters and are never changed. Pure.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace trestle {

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

constexpr char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// The text with ASCII letters in lower case.
inline std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = lower(c);
  return out;
}

constexpr bool equals_ignoring_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return x == y || lower(x) == lower(y); });
}

}  // namespace trestle
