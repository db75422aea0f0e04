// The inside of a Condition: an expression, or the legacy form.
#pragma once

#include "expression/bound_expression.h"
#include "expression/condition.h"

namespace trestle {

struct Condition::Impl {
  std::optional<BoundExpression> bound;
  const LegacyConditions* legacy = nullptr;  // the request's
  ConditionalOperator legacy_operator = ConditionalOperator::kAnd;
  std::vector<std::string_view> attributes;
  std::vector<std::string_view> nested_attributes;
};

bool legacy_matches(const LegacyConditions& conditions, ConditionalOperator op, ItemView item);

}  // namespace trestle
