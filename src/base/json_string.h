// JSON's string: text in double quotes, with the escapes that JSON demands. UTF-8 passes through unchanged. Fast: used
// for the values of items.
#pragma once

#include <string>
#include <string_view>

namespace trestle {

// How backspace and form feed are written: "\b", as DynamoDB does, or in hexadecimal like the other control characters,
// which languages that have only some of JSON's escapes read too.
enum class ControlEscapes { kShort, kHexadecimal };

// Whether the text is the same inside of quotes as outside: nothing in it must be escaped.
bool is_plain_json(std::string_view text);

void append_json_string(std::string& out, std::string_view text, ControlEscapes controls = ControlEscapes::kShort);

}  // namespace trestle
