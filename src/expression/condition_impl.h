// The implementation of a Condition: an expression or legacy parameters.
#pragma once

#include "expression/bound_expression.h"
#include "expression/condition.h"

namespace trestle {

struct Condition::Impl {
  std::optional<BoundExpression> bound;
  const LegacyConditions* legacy = nullptr;  // borrowed from the request
  ConditionalOperator legacy_operator = ConditionalOperator::kAnd;
  std::vector<std::string_view> attributes;
  std::vector<std::string_view> nested_attributes;
};

bool legacy_matches(const LegacyConditions& conditions, ConditionalOperator op, ItemView item);

}  // namespace trestle
