#include "policy/condition.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "policy/ip_range.h"
#include "policy/moment_text.h"
#include "policy/wildcard.h"

namespace trestle {
namespace {

using Operator = ConditionOperator;

std::optional<double> read_number(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

bool same_ignoring_case(std::string_view a, std::string_view b) { return matches_ignoring_case(a, b); }

template <class T>
bool compare(Operator comparison, const std::optional<T>& actual, const std::optional<T>& expected) {
  if (!actual || !expected) return false;
  switch (comparison) {
    case Operator::kNumericEquals:
    case Operator::kDateEquals:
      return *actual == *expected;
    case Operator::kNumericLessThan:
    case Operator::kDateLessThan:
      return *actual < *expected;
    case Operator::kNumericLessThanEquals:
    case Operator::kDateLessThanEquals:
      return *actual <= *expected;
    case Operator::kNumericGreaterThan:
    case Operator::kDateGreaterThan:
      return *actual > *expected;
    case Operator::kNumericGreaterThanEquals:
    case Operator::kDateGreaterThanEquals:
      return *actual >= *expected;
    default:
      return false;
  }
}

// Whether a value of the request matches a value of the policy, with its variables replaced.
bool matches_value(Operator comparison, std::string_view actual, const std::string& expected) {
  switch (comparison) {
    case Operator::kStringEquals:
    case Operator::kBinaryEquals:
      return actual == expected;
    case Operator::kStringEqualsIgnoreCase:
    case Operator::kBool:
      return same_ignoring_case(expected, actual);
    case Operator::kStringLike:
      return matches(expected, actual);
    case Operator::kArnLike:
      return matches_arn(expected, actual);
    case Operator::kIpAddress:
      return is_in_ip_range(actual, expected);
    case Operator::kNumericEquals:
    case Operator::kNumericLessThan:
    case Operator::kNumericLessThanEquals:
    case Operator::kNumericGreaterThan:
    case Operator::kNumericGreaterThanEquals:
      return compare(comparison, read_number(actual), read_number(expected));
    case Operator::kDateEquals:
    case Operator::kDateLessThan:
    case Operator::kDateLessThanEquals:
    case Operator::kDateGreaterThan:
    case Operator::kDateGreaterThanEquals:
      return compare(comparison, read_moment_ms(actual), read_moment_ms(expected));
    case Operator::kNull:
      return false;  // tests the key, not its values
  }
  return false;
}

// The policy's values, prepared for comparison. Values with a variable that has no value are omitted.
std::vector<std::string> prepared_values(const PolicyCondition& condition, const ConditionQuestion& question) {
  const AccessContext* context = question.has_variables ? &question.context : nullptr;
  const bool has_wildcards =
      condition.comparison == Operator::kStringLike || condition.comparison == Operator::kArnLike;
  std::vector<std::string> policy_values;
  for (const std::string& value : condition.values) {
    auto prepared = has_wildcards ? prepare_pattern(value, context) : prepare_text(value, context);
    if (prepared) policy_values.push_back(std::move(*prepared));
  }
  return policy_values;
}

// IAM's result if the key is absent.
bool holds_without_key(const PolicyCondition& condition) {
  if (condition.if_exists) return true;
  switch (condition.quantifier) {
    case ConditionQuantifier::kForAllValues:
      return true;
    case ConditionQuantifier::kForAnyValue:
      return false;
    case ConditionQuantifier::kNone:
      return condition.negated;
  }
  return false;
}

bool requires_all(const PolicyCondition& condition, PolicyEffect effect) {
  if (condition.quantifier == ConditionQuantifier::kNone) return effect == PolicyEffect::kAllow;
  return condition.quantifier == ConditionQuantifier::kForAllValues;
}

// Whether the condition holds for all possible values (`all`), or for at least one.
bool holds_for_everything(const PolicyCondition& condition, const std::vector<std::string>& policy_values, bool all) {
  const bool matches_any_value =
      condition.comparison == Operator::kStringLike && std::ranges::any_of(policy_values, matches_everything);
  if (condition.negated) return all ? policy_values.empty() : !matches_any_value;
  return all ? matches_any_value : !policy_values.empty();
}

bool is_true(std::string_view text) { return same_ignoring_case("true", text); }

}  // namespace

bool holds(const PolicyCondition& condition, const ConditionQuestion& question) {
  const AccessContext::Entry* entry = question.context.find(condition.key);
  const bool has_values = entry != nullptr && !entry->values.empty();
  const bool is_everything = entry != nullptr && entry->everything;
  if (condition.comparison == Operator::kNull) {
    const bool absent = !has_values || is_everything;
    return std::ranges::any_of(condition.values, [&](const std::string& value) { return is_true(value) == absent; });
  }
  if (!has_values && !is_everything) return holds_without_key(condition);

  const std::vector<std::string> policy_values = prepared_values(condition, question);
  const bool all = requires_all(condition, question.effect);
  if (is_everything) {
    const bool holds_here = holds_for_everything(condition, policy_values, all);
    const bool holds_absent = holds_without_key(condition);
    return question.effect == PolicyEffect::kAllow ? holds_here && holds_absent : holds_here || holds_absent;
  }
  const auto holds_for = [&](const std::string& actual) {
    const bool found = std::ranges::any_of(
        policy_values, [&](const std::string& value) { return matches_value(condition.comparison, actual, value); });
    return found != condition.negated;
  };
  return all ? std::ranges::all_of(entry->values, holds_for) : std::ranges::any_of(entry->values, holds_for);
}

}  // namespace trestle
