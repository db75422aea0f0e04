// Text in UTF-8: whether bytes are that, and how to make them so.
#pragma once

#include <string>
#include <string_view>

namespace trestle {

bool is_utf8(std::string_view text);
// The text with U+FFFD for each byte that is not part of valid UTF-8, cut between characters to at most `bytes_max`.
std::string valid_utf8(std::string_view text, size_t bytes_max);

}  // namespace trestle
