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
bool compare(Operator comparison, const std::optional<T>& actual, const std::optional<T>& wanted) {
  if (!actual || !wanted) return false;
  switch (comparison) {
    case Operator::kNumericEquals:
    case Operator::kDateEquals:
      return *actual == *wanted;
    case Operator::kNumericLessThan:
    case Operator::kDateLessThan:
      return *actual < *wanted;
    case Operator::kNumericLessThanEquals:
    case Operator::kDateLessThanEquals:
      return *actual <= *wanted;
    case Operator::kNumericGreaterThan:
    case Operator::kDateGreaterThan:
      return *actual > *wanted;
    case Operator::kNumericGreaterThanEquals:
    case Operator::kDateGreaterThanEquals:
      return *actual >= *wanted;
    default:
      return false;
  }
}

// Whether a value of the request matches a value of the policy, with its variables replaced.
bool is_wanted(Operator comparison, std::string_view actual, const std::string& wanted) {
  switch (comparison) {
    case Operator::kStringEquals:
    case Operator::kBinaryEquals:
      return actual == wanted;
    case Operator::kStringEqualsIgnoreCase:
    case Operator::kBool:
      return same_ignoring_case(wanted, actual);
    case Operator::kStringLike:
      return matches(wanted, actual);
    case Operator::kArnLike:
      return matches_arn(wanted, actual);
    case Operator::kIpAddress:
      return is_in_ip_range(actual, wanted);
    case Operator::kNumericEquals:
    case Operator::kNumericLessThan:
    case Operator::kNumericLessThanEquals:
    case Operator::kNumericGreaterThan:
    case Operator::kNumericGreaterThanEquals:
      return compare(comparison, read_number(actual), read_number(wanted));
    case Operator::kDateEquals:
    case Operator::kDateLessThan:
    case Operator::kDateLessThanEquals:
    case Operator::kDateGreaterThan:
    case Operator::kDateGreaterThanEquals:
      return compare(comparison, read_moment_ms(actual), read_moment_ms(wanted));
    case Operator::kNull:
      return false;  // asked of the key, not of its values
  }
  return false;
}

// The policy's values, ready to be compared; those whose variables have no value are left out.
std::vector<std::string> wanted_values(const PolicyCondition& condition, const ConditionQuestion& question) {
  const AccessContext* context = question.has_variables ? &question.context : nullptr;
  const bool has_wildcards =
      condition.comparison == Operator::kStringLike || condition.comparison == Operator::kArnLike;
  std::vector<std::string> wanted;
  for (const std::string& value : condition.values) {
    auto prepared = has_wildcards ? prepare_pattern(value, context) : prepare_text(value, context);
    if (prepared) wanted.push_back(std::move(*prepared));
  }
  return wanted;
}

// IAM's answer when the key is absent.
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

bool asks_all(const PolicyCondition& condition, PolicyEffect effect) {
  if (condition.quantifier == ConditionQuantifier::kNone) return effect == PolicyEffect::kAllow;
  return condition.quantifier == ConditionQuantifier::kForAllValues;
}

// Whether the condition is true for all possible values, or for any of them.
bool holds_for_everything(const PolicyCondition& condition, const std::vector<std::string>& wanted, bool all) {
  const bool any_will_do =
      condition.comparison == Operator::kStringLike && std::ranges::any_of(wanted, matches_everything);
  if (condition.negated) return all ? wanted.empty() : !any_will_do;
  return all ? any_will_do : !wanted.empty();
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

  const std::vector<std::string> wanted = wanted_values(condition, question);
  const bool all = asks_all(condition, question.effect);
  if (is_everything) {
    const bool holds_here = holds_for_everything(condition, wanted, all);
    const bool holds_absent = holds_without_key(condition);
    return question.effect == PolicyEffect::kAllow ? holds_here && holds_absent : holds_here || holds_absent;
  }
  const auto holds_for = [&](const std::string& actual) {
    const bool found = std::ranges::any_of(
        wanted, [&](const std::string& value) { return is_wanted(condition.comparison, actual, value); });
    return found != condition.negated;
  };
  return all ? std::ranges::all_of(entry->values, holds_for) : std::ranges::any_of(entry->values, holds_for);
}

}  // namespace trestle
