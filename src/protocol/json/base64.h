// Decodes base64 as DynamoDB does: only the standard alphabet, always padded, with DynamoDB's error messages. The
// encoder is in base/base64.h.
#pragma once

#include <string>
#include <string_view>

#include "model/error.h"

namespace trestle {

// Appends the decoded bytes. Fails with DynamoDB's SerializationException and appends nothing.
Result<void> append_base64_decoded(std::string& out, std::string_view text);

}  // namespace trestle
