// Parses condition, projection and update expressions, and refuses what is wrong with the text alone: syntax, size,
// redundant parentheses, unknown or misplaced functions, reserved words, repeated sections. What depends on the names
// and values of a request is checked when the expression is bound (condition.cc, projection.cc, update.cc).
//
// Recursion is bounded by kNestingMax, so no text overflows the stack.
#pragma once

#include <expected>
#include <memory>
#include <string>
#include <string_view>

#include "expression/ast.h"

namespace trestle {

// The message is without its "Invalid ...Expression: ".
template <class T>
using ParseResult = std::expected<T, std::string>;

ParseResult<std::shared_ptr<const ParsedExpression>> parse_expression(std::string_view text, Grammar grammar);

}  // namespace trestle
