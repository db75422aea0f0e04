// Evaluates the legacy parameters Expected, QueryFilter and ScanFilter.
#include <algorithm>
#include <span>

#include "expression/comparison.h"
#include "expression/condition_impl.h"

namespace trestle {
namespace {

bool is_ordered(ComparisonOperator op, ValueView value, ValueView operand) {
  const auto order = compare(value, operand);
  if (!order) return false;
  switch (op) {
    case ComparisonOperator::kLe:
      return *order <= 0;
    case ComparisonOperator::kLt:
      return *order < 0;
    case ComparisonOperator::kGe:
      return *order >= 0;
    default:
      return *order > 0;
  }
}

bool is_any_of(ValueView value, std::span<const Value> operands) {
  return std::ranges::any_of(operands, [&](const Value& operand) { return operand.view() == value; });
}

bool holds(ComparisonOperator op, std::optional<ValueView> value, std::span<const Value> operands) {
  if (op == ComparisonOperator::kNull) return !value;
  if (op == ComparisonOperator::kNotNull) return value.has_value();
  // Of the other operators, an absent attribute satisfies only NE; not even NOT_CONTAINS.
  if (!value) return op == ComparisonOperator::kNe;
  switch (op) {
    case ComparisonOperator::kEq:
      return *value == operands[0].view();
    case ComparisonOperator::kNe:
      return *value != operands[0].view();
    case ComparisonOperator::kIn:
      return is_any_of(*value, operands);
    case ComparisonOperator::kBetween:
      return is_between(*value, operands[0], operands[1]);
    case ComparisonOperator::kContains:
      return contains(*value, operands[0]);
    case ComparisonOperator::kNotContains:
      return !contains(*value, operands[0]);
    case ComparisonOperator::kBeginsWith:
      return begins_with(*value, operands[0]);
    default:
      return is_ordered(op, *value, operands[0]);
  }
}

bool holds(const LegacyCondition& condition, ItemView item) {
  const auto value = item.empty() ? std::nullopt : item.find(condition.attribute);
  std::span<const Value> operands;
  if (condition.operands) operands = *condition.operands;
  if (condition.value) operands = std::span(&*condition.value, 1);
  if (condition.comparison) return holds(*condition.comparison, value, operands);
  // Either Exists is false, or there is a Value that the attribute must equal.
  if (condition.exists && !*condition.exists) return !value;
  return holds(ComparisonOperator::kEq, value, operands);
}

}  // namespace

bool legacy_matches(const LegacyConditions& conditions, ConditionalOperator op, ItemView item) {
  const auto matches = [&](const LegacyCondition& condition) { return holds(condition, item); };
  if (op == ConditionalOperator::kOr) return conditions.empty() || std::ranges::any_of(conditions, matches);
  return std::ranges::all_of(conditions, matches);
}

Condition compile_legacy_condition(const LegacyConditions& conditions, std::optional<ConditionalOperator> op) {
  auto impl = std::make_unique<Condition::Impl>();
  impl->legacy = &conditions;
  impl->legacy_operator = op.value_or(ConditionalOperator::kAnd);
  impl->attributes.reserve(conditions.size());
  for (const LegacyCondition& condition : conditions) impl->attributes.push_back(condition.attribute);
  return Condition(std::move(impl));
}

}  // namespace trestle
