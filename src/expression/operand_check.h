// The checks that DynamoDB makes of each condition once its values are known: number and types of operands, distinct
// operands, bounds in order. Shared by conditions, filters and key conditions.
#pragma once

#include <optional>
#include <string>

#include "expression/bound_expression.h"

namespace trestle {

// What is wrong with one of the tree's `conditions`, if anything: first placeholders that are not defined, then the
// operands.
std::optional<std::string> condition_fault(const BoundExpression& bound, const Node& condition);

}  // namespace trestle
