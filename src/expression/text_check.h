// Errors in the text of an expression whose syntax is correct: too many operators, reserved words, list indexes out of
// range, functions that do not exist or are out of place, repeated sections. DynamoDB reports the first one in a walk
// of the tree, outside in and left to right; for an update, section by section.
#pragma once

#include <optional>
#include <string>

#include "expression/ast.h"

namespace trestle {

// Indexes above this are refused. The parser keeps larger ones as this plus one.
inline constexpr uint32_t kListIndexMax = 0x7FFFFFFF;

std::optional<std::string> text_fault(const ParsedExpression& tree);

}  // namespace trestle
