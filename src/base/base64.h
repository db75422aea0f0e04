// Base64 in both alphabets: the standard one, padded, for binary values and keys; base64url without padding for tokens.
// Decoding is strict: every byte string has exactly one text, so encoding the result gives the same text again.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace trestle {

void append_base64(std::string& out, std::string_view bytes);
std::string base64_text(std::string_view bytes);
// Appends the bytes of standard base64, padded. False, and nothing appended, if it is not.
bool append_base64_bytes(std::string& out, std::string_view text);
// The same; nothing if it is not.
std::optional<std::string> base64_bytes(std::string_view text);

std::string base64url_text(std::string_view bytes);
// How many characters base64url_text() makes of that many bytes.
constexpr size_t base64url_length(size_t bytes) { return (bytes * 8 + 5) / 6; }
// Nothing unless it is base64url, without padding.
std::optional<std::string> base64url_bytes(std::string_view text);
bool is_base64url(std::string_view text);

}  // namespace trestle
