// Base64 as DynamoDB reads it: the standard alphabet, always padded, nothing else tolerated, with its own error
// messages. Writing is in base/base64.h.
#pragma once

#include <string>
#include <string_view>

#include "model/error.h"

namespace trestle {

// Appends the bytes of text. Fails with DynamoDB's SerializationException, and nothing appended.
Result<void> append_base64_decoded(std::string& out, std::string_view text);

}  // namespace trestle
