// The bytes of base64url without padding (RFC 4648, section 5), as JWTs and page tokens are written. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace trestle::api {

// Nothing if there is another character, padding, an impossible length, or stray bits at the end: each sequence of
// bytes has one text only, the one that runtime::base64url_text() makes.
std::optional<std::string> base64url_bytes(std::string_view text);

}  // namespace trestle::api
