// Base64 in both alphabets: the standard one, padded, for binary values and keys; base64url without padding for tokens.
// Decoding is strict: every byte string has exactly one encoding, so encoding the decoded bytes gives the same text
// again.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace trestle {

// The digits of the standard alphabet, in order of their values.
inline constexpr std::string_view kBase64Digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void append_base64(std::string& out, std::string_view bytes);
std::string base64_text(std::string_view bytes);
// Decodes standard, padded base64 and appends the bytes. Returns false and appends nothing if the text is invalid.
bool append_base64_bytes(std::string& out, std::string_view text);
// The same as a string; nothing if the text is invalid.
std::optional<std::string> base64_bytes(std::string_view text);

std::string base64url_text(std::string_view bytes);
// The length of base64url_text() for that many bytes.
constexpr size_t base64url_length(size_t bytes) { return (bytes * 8 + 5) / 6; }
// Nothing if the text is not base64url without padding.
std::optional<std::string> base64url_bytes(std::string_view text);
bool is_base64url(std::string_view text);

}  // namespace trestle
