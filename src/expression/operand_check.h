// DynamoDB's checks of a condition whose values are known: number and types of operands, distinct operands, order of
// bounds. Shared by conditions, filters and key conditions.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "expression/bound_expression.h"

namespace trestle {

// Messages that conditions, updates and PartiQL have in common.
std::string too_many_operands(size_t operands);  // of IN
std::string wrong_operand_count(std::string_view function, size_t operands);
std::string operands_not_distinct(std::string_view operation, std::string_view first_operand);

// The first error in `condition`, if any: first undefined placeholders, then operands.
std::optional<std::string> condition_fault(const BoundExpression& bound, const Node& condition);

}  // namespace trestle
