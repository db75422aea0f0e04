// DynamoDB's reserved words: names that an expression may mention only through a "#placeholder".
#pragma once

#include <string_view>

namespace trestle {

// In any mix of upper and lower case.
bool is_reserved_word(std::string_view name);

}  // namespace trestle
