// JSON strings: text in double quotes with the escapes that JSON requires. UTF-8 passes through unchanged. Optimized,
// because it writes the values of items.
#pragma once

#include <string>
#include <string_view>

namespace trestle {

// How backspace and form feed are escaped: as "\b" and "\f", like DynamoDB, or in hexadecimal like the other control
// characters, for languages that support only some of JSON's escapes.
enum class ControlEscapes { kShort, kHexadecimal };

// Whether the text needs no escapes inside quotes.
bool is_plain_json(std::string_view text);

void append_json_string(std::string& out, std::string_view text, ControlEscapes controls = ControlEscapes::kShort);

}  // namespace trestle
