// Character classes of Ion's text format: separators, and the characters of an unquoted symbol. Pure.
#pragma once

#include "base/ascii.h"

namespace trestle {

constexpr bool is_ion_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
constexpr bool is_identifier_start(char c) { return is_letter(c) || c == '_' || c == '$'; }
constexpr bool is_identifier(char c) { return is_identifier_start(c) || is_digit(c); }

}  // namespace trestle
