// The types of a design that are text in a certain format: addresses, names, telephone numbers. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace trestle::runtime {

// Each function returns the text in its stored form, or nothing if it does not have the format.
std::optional<std::string> email_text(std::string_view text);           // folded to lower case
std::optional<std::string> domain_text(std::string_view text);          // at least two labels; folded
std::optional<std::string> pattern_domain_text(std::string_view text);  // may begin with "*."
std::optional<std::string> url_text(std::string_view text);             // http or https
std::optional<std::string> e164_text(std::string_view text);            // +, 7 to 15 digits
std::optional<std::string> ip_text(std::string_view text);              // v6 as RFC 5952 writes it
std::optional<std::string> cidr_text(std::string_view text);            // bits beyond the prefix are refused
std::optional<std::string> uuid_text(std::string_view text);            // folded

// `text` must be valid UTF-8.
size_t character_count(std::string_view text);
bool is_lower_hex(std::string_view text);
// Whether all characters of the text are in `ranges`, which is the inside of brackets as in "[a-z0-9-]".
bool has_only(std::string_view text, std::string_view ranges);

}  // namespace trestle::runtime
