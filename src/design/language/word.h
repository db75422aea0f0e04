// Character classes, case and trimming for texts in a design. Pure.
#pragma once

#include <cctype>
#include <string>
#include <string_view>

#include "base/ascii.h"

namespace trestle::design {

// A letter, a digit or an underscore.
inline bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// A letter or an underscore, with which a name begins.
inline bool is_name_start(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// "tenantGrant" -> "TenantGrant".
inline std::string upper_first(std::string name) {
  if (!name.empty()) name[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(name[0])));
  return name;
}

// Removes white space, including tabs and line breaks, from both ends.
inline std::string_view trim(std::string_view text) { return trimmed(text, " \t\n\v\f\r"); }

// Removes only blanks from both ends. Other white space is a mistake within a line.
inline std::string_view trim_blanks(std::string_view text) { return trimmed(text, " "); }

}  // namespace trestle::design
