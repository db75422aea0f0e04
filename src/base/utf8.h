// Checks that bytes are UTF-8, and converts arbitrary bytes to valid UTF-8.
#pragma once

#include <string>
#include <string_view>

namespace trestle {

bool is_utf8(std::string_view text);
// The text with U+FFFD in place of each byte that is not part of valid UTF-8, cut at a character boundary to at most
// `bytes_max`.
std::string valid_utf8(std::string_view text, size_t bytes_max);

}  // namespace trestle
