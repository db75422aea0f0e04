// ASCII characters: classes, lower case, comparison and trimming, independently of the locale. Bytes beyond ASCII are
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
  return std::ranges::equal(a, b, [](char x, char y) { return x == y || lower(x) == lower(y); });
}

// The text without `blanks` at both ends.
constexpr std::string_view trimmed(std::string_view text, std::string_view blanks = " \t\r") {
  const size_t begin = text.find_first_not_of(blanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(blanks) + 1 - begin);
}

constexpr bool is_blank(std::string_view text) { return text.find_first_not_of(" \t\r\n") == std::string_view::npos; }

}  // namespace trestle
