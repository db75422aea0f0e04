// Checks that bytes are UTF-8, converts arbitrary bytes to valid UTF-8, and finds the boundaries of characters.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace trestle {

// Appends the character with this code point.
void append_utf8(std::string& out, uint32_t point);

// Whether the byte continues a character, and thus is not its first byte.
constexpr bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }
// The number of characters in valid UTF-8.
size_t characters_of(std::string_view text);
// The number of UTF-16 units that valid UTF-8 becomes: two for a character outside the basic plane. Java and DynamoDB
// count the length of a string so.
size_t utf16_units(std::string_view text);

bool is_utf8(std::string_view text);
// The text with U+FFFD in place of each byte that is not part of valid UTF-8, cut at a character boundary to at most
// `bytes_max`.
std::string valid_utf8(std::string_view text, size_t bytes_max);

}  // namespace trestle
