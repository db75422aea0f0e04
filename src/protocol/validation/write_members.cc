#include "protocol/validation/write_members.h"

#include "model/shapes/item_enumerations.h"
#include "protocol/shapes/by_hand.h"

namespace trestle {
namespace {

// The current layer has its own list of values, spelled like this.
constexpr std::string_view kReturnValuesRefusal =
    "Failed to satisfy constraint: Member must satisfy enum value set: [ALL_OLD, UPDATED_OLD, ALL_NEW, UPDATE_NEW, "
    "NONE]";
constexpr std::string_view kConditionalOperatorRefusal =
    "Failed to satisfy constraint: Member must satisfy enum value set: [ALL, OR]";

template <class E, size_t N, class Out>
bool choose(std::optional<std::string_view> text, const Choice<E> (&choices)[N], Out& out) {
  if (!text) return true;
  for (const auto& choice : choices) {
    if (choice.name != *text) continue;
    out = choice.value;
    return true;
  }
  return false;
}

bool any_very_deep(const std::optional<UncheckedConditions>& conditions) {
  if (!conditions) return false;
  for (const auto& condition : *conditions) {
    if (condition.value && condition.value->very_deep) return true;
    if (condition.operands && condition.operands->very_deep) return true;
  }
  return false;
}

}  // namespace

Result<void> WriteMembers::take(const JsonMember& member) {
  if (member.name == "TableName") {
    TRY_INTO(table_name, json_string(member.value));
  } else if (member.name == "ConditionExpression") {
    TRY_INTO(condition_expression, json_string(member.value));
  } else if (member.name == "ReturnValues") {
    TRY_INTO(return_values_text, json_string(member.value));
  } else if (member.name == "ReturnConsumedCapacity") {
    TRY_INTO(return_consumed_capacity_text, json_string(member.value));
  } else if (member.name == "ReturnItemCollectionMetrics") {
    TRY_INTO(return_item_collection_metrics_text, json_string(member.value));
  } else if (member.name == "ReturnValuesOnConditionCheckFailure") {
    TRY_INTO(return_item_on_failure_text, json_string(member.value));
  } else if (member.name == "ConditionalOperator") {
    TRY_INTO(conditional_operator_text, json_string(member.value));
  } else if (member.name == "Expected") {
    TRY_INTO(expected, read_expected(member.value, ValueReader(ValueWording::kCurrent)));
  } else {
    TRY(placeholders.take(member));
  }
  return {};
}

bool WriteMembers::very_deep() const { return placeholders.very_deep() || any_very_deep(expected); }

Result<void> WriteValidation::constrain(bool has_subject, bool subject_very_deep) {
  const bool readable =
      members_.table_name && has_subject && (members_.table_name->empty() || table_name_of(*members_.table_name));
  older_ = !readable || subject_very_deep || members_.very_deep();
  return older_ ? constrain_older(has_subject) : constrain_current();
}

Result<void> WriteValidation::constrain_older(bool has_subject) {
  Constraints constraints;
  const auto return_values = [&] {
    constraints.one_of(members_.return_values_text, "returnValues", kReturnValues, choices_.return_values);
  };
  const auto metrics = [&] {
    constraints.one_of(members_.return_item_collection_metrics_text, "returnItemCollectionMetrics",
                       kReturnItemCollectionMetrics, choices_.return_item_collection_metrics);
  };
  const auto subject = [&] {
    constraints.not_null(has_subject, operation_ == WriteOperation::kPutItem ? "item" : "key");
  };
  const auto conditions = [&] {
    constraints.one_of(members_.conditional_operator_text, "conditionalOperator", kConditionalOperators,
                       choices_.conditional_operator);
    constrain_conditions(members_.expected, "expected", false, constraints);
  };
  // The members, in the order of each operation's model.
  constraints.one_of(members_.return_consumed_capacity_text, "returnConsumedCapacity", kReturnConsumedCapacities,
                     choices_.return_consumed_capacity);
  constraints.not_null(members_.table_name.has_value(), "tableName");
  constraints.table_name_or_arn(members_.table_name, "tableName");
  switch (operation_) {
    case WriteOperation::kPutItem:
      subject();
      conditions();
      return_values();
      metrics();
      break;
    case WriteOperation::kUpdateItem:
      metrics();
      return_values();
      conditions();
      subject();
      break;
    case WriteOperation::kDeleteItem:
      return_values();
      metrics();
      conditions();
      subject();
      break;
  }
  constraints.one_of(members_.return_item_on_failure_text, "returnValuesOnConditionCheckFailure", kReturnItemOnFailure,
                     choices_.return_item_on_failure);
  return constraints.check();
}

Result<void> WriteValidation::constrain_current() {
  Constraints constraints;
  if (members_.table_name->empty()) {
    return refused(
        "Value at 'TableName' failed to satisfy constraint: Member must have length greater than or equal to 1");
  }
  const bool return_values_known = choose(members_.return_values_text, kReturnValues, choices_.return_values);
  // Only UpdateItem stops at ReturnValues.
  if (!return_values_known && operation_ == WriteOperation::kUpdateItem) return refused(kReturnValuesRefusal);
  constraints.one_of(members_.return_consumed_capacity_text, "returnConsumedCapacity", kReturnConsumedCapacities,
                     choices_.return_consumed_capacity);
  if (!return_values_known) constraints.violated_as(std::string(kReturnValuesRefusal));
  if (!choose(members_.return_item_collection_metrics_text, kReturnItemCollectionMetrics,
              choices_.return_item_collection_metrics)) {
    constraints.violated_as("ReturnItemCollectionMetrics can only be SIZE or NONE");
  }
  constraints.one_of(members_.return_item_on_failure_text, "returnValuesOnConditionCheckFailure", kReturnItemOnFailure,
                     choices_.return_item_on_failure);
  constrain_conditions(members_.expected, "expected", false, constraints);
  TRY(constraints.check());
  if (choose(members_.conditional_operator_text, kConditionalOperators, choices_.conditional_operator)) return {};
  TRY(check(check_conditional_operator(true, members_.expected)));
  return refused(kConditionalOperatorRefusal);
}

std::unexpected<Error> WriteValidation::refused(std::string_view message) const {
  std::string text(older_ ? "" : kValidationErrorPrefix);
  return invalid(text.append(message));
}

Result<void> WriteValidation::check(Result<void> checked) const {
  if (checked.has_value()) [[likely]]
    return {};
  return refused(checked.error().message);
}

Result<WriteCondition> WriteValidation::condition() const {
  WriteCondition condition;
  condition.expression = members_.condition_expression;
  condition.return_item_on_failure = choices_.return_item_on_failure;
  condition.conditional_operator = choices_.conditional_operator;
  TRY(check(check_conditional_operator(members_.conditional_operator_text.has_value(), members_.expected)));
  if (members_.expected) {
    auto expected = check_expected(std::move(*members_.expected));
    if (!expected.has_value()) return refused(expected.error().message);
    condition.expected = std::move(*expected);
  }
  return condition;
}

}  // namespace trestle
