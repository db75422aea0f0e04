// Character classes and trimming for texts in a design. Pure.
#pragma once

#include <cctype>
#include <string_view>

namespace trestle::design {

// A letter, a digit or an underscore.
inline bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// Removes white space, including tabs and line breaks, from both ends.
inline std::string_view trim(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())) != 0) text.remove_prefix(1);
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())) != 0) text.remove_suffix(1);
  return text;
}

// Removes only blanks from both ends. Other white space is a mistake within a line.
inline std::string_view trim_blanks(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

}  // namespace trestle::design
