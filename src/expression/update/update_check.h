// DynamoDB's checks of an update whose names and values are known, before any item is read.
#pragma once

#include <optional>
#include <string>

#include "expression/bound_expression.h"

namespace trestle {

// The first error in DynamoDB's order: the names of the written paths; paths that overlap or conflict; then, from the
// last step to the first, the names that are read; then, again from the last step, values, operand counts and types.
std::optional<std::string> update_fault(const BoundExpression& bound);

}  // namespace trestle
