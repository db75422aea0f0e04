// Compiles the legacy parameter KeyConditions.
#include "expression/key_condition.h"

namespace trestle {
namespace {

KeyComparison legacy_key_comparison(ComparisonOperator op) {
  switch (op) {
    case ComparisonOperator::kEq:
      return KeyComparison::kEqual;
    case ComparisonOperator::kLe:
      return KeyComparison::kLessOrEqual;
    case ComparisonOperator::kLt:
      return KeyComparison::kLess;
    case ComparisonOperator::kGe:
      return KeyComparison::kGreaterOrEqual;
    case ComparisonOperator::kGt:
      return KeyComparison::kGreater;
    case ComparisonOperator::kBetween:
      return KeyComparison::kBetween;
    case ComparisonOperator::kBeginsWith:
      return KeyComparison::kBeginsWith;
    default:
      return KeyComparison::kNotIndexable;
  }
}

}  // namespace

Result<KeyCondition> compile_legacy_key_condition(const LegacyConditions& conditions) {
  KeyCondition terms;
  terms.reserve(conditions.size());
  for (const LegacyCondition& condition : conditions) {
    KeyTerm term;
    term.attribute = condition.attribute;
    term.comparison = legacy_key_comparison(condition.comparison.value_or(ComparisonOperator::kEq));
    if (condition.operands && !condition.operands->empty()) {
      term.first = condition.operands->front();
      if (term.comparison == KeyComparison::kBetween) term.second = condition.operands->back();
    }
    terms.push_back(term);
  }
  return terms;
}

}  // namespace trestle
