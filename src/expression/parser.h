// Parses condition, projection and update expressions, and reports errors that depend on the text alone: syntax, size,
// redundant parentheses, and those of text_check.h. Errors that depend on the names and values of a request are found
// when the expression is bound (condition.cc, projection.cc, update.cc).
//
//   condition  := or                                            update := (section step (, step)*)+
//   or         := and (OR and)*                                 step   := SET: path = sum | REMOVE: path
//   and        := not (AND not)*                                        | ADD, DELETE: path value
//   not        := NOT not | ( or ) | operand <op> operand       sum    := operand | operand (+ | -) operand | ( sum )
//               | operand BETWEEN operand AND operand           projection := path (, path)*
//               | operand IN ( operand (, operand)* ) | function
//   operand    := path | value | function | ( operand )
//   function   := identifier ( operand (, operand)* )
//   path       := name (. name | [ number ])*; in a condition a path may also continue after parentheses: (a).b
//
// Recursion depth is bounded, so no text overflows the stack.
#pragma once

#include <expected>
#include <memory>
#include <string>
#include <string_view>

#include "expression/ast.h"

namespace trestle {

// The error message does not include the prefix "Invalid ...Expression: ".
template <class T>
using ParseResult = std::expected<T, std::string>;

ParseResult<std::shared_ptr<const ParsedExpression>> parse_expression(std::string_view text, Grammar grammar);

}  // namespace trestle
