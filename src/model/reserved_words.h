// DynamoDB's reserved words: names that an expression may only use through a "#placeholder".
#pragma once

#include <string_view>

namespace trestle {

// Ignores case.
bool is_reserved_word(std::string_view name);

}  // namespace trestle
