// DynamoDB's checks of a condition once its values are known: number and types of operands, distinct operands, bounds
// in order. Shared by conditions, filters and key conditions.
#pragma once

#include <optional>
#include <string>

#include "expression/bound_expression.h"

namespace trestle {

// The first error in `conditions`, if any: first undefined placeholders, then operands.
std::optional<std::string> condition_fault(const BoundExpression& bound, const Node& condition);

}  // namespace trestle
