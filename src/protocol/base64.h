// Base64 as DynamoDB speaks it: the standard alphabet, always padded, nothing else tolerated.
#pragma once

#include <string>
#include <string_view>

#include "model/error.h"

namespace trestle {

// Appends the text of bytes.
void append_base64(std::string& out, std::string_view bytes);
// Appends the bytes of text. Fails with DynamoDB's SerializationException; out may then hold part of them.
Result<void> append_base64_decoded(std::string& out, std::string_view text);

}  // namespace trestle
