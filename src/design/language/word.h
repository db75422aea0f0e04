// Character classes and trimming for texts in a design. Pure.
#pragma once

#include <cctype>
#include <string_view>

#include "base/ascii.h"

namespace trestle::design {

// A letter, a digit or an underscore.
inline bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// Removes white space, including tabs and line breaks, from both ends.
inline std::string_view trim(std::string_view text) { return trimmed(text, " \t\n\v\f\r"); }

// Removes only blanks from both ends. Other white space is a mistake within a line.
inline std::string_view trim_blanks(std::string_view text) { return trimmed(text, " "); }

}  // namespace trestle::design
