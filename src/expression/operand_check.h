// DynamoDB's checks of a condition whose values are known: number and types of operands, distinct operands, order of
// bounds. Shared by conditions, filters and key conditions.
#pragma once

#include <optional>
#include <string>

#include "expression/bound_expression.h"

namespace trestle {

// The first error in `condition`, if any: first undefined placeholders, then operands.
std::optional<std::string> condition_fault(const BoundExpression& bound, const Node& condition);

}  // namespace trestle
