// Errors in the text of a syntactically correct expression: too many operators, reserved words, list indexes out of
// range, functions that do not exist or are not allowed there, repeated sections. DynamoDB reports the first error
// found when it walks the tree from the outside in and from left to right; for an update, section by section.
#pragma once

#include <optional>
#include <string>

#include "expression/ast.h"

namespace trestle {

// Greater indexes are rejected. The parser represents all of them by kListIndexMax + 1.
inline constexpr uint32_t kListIndexMax = 0x7FFFFFFF;

std::optional<std::string> text_fault(const ParsedExpression& tree);

}  // namespace trestle
