// DynamoDB's checks of an update once names and values are known, before it reads any item.
#pragma once

#include <optional>
#include <string>

#include "expression/bound_expression.h"

namespace trestle {

// In DynamoDB's order: the names of the paths written; paths that overlap or conflict; then, from the last step back to
// the first, the names of what is read; and, again from the last, values, operand counts and types.
std::optional<std::string> update_fault(const BoundExpression& bound);

}  // namespace trestle
