// Members shared by PutItem, UpdateItem and DeleteItem: everything except the item, the key and the update.
//
// DynamoDB validates these three operations in a separate layer, which reports one error at a time after "1 validation
// error detected: ". A request that this layer cannot read (a required member is missing, a table name that is
// impossible, a deeply nested value) is validated by the older layer instead, which checks all members together and
// reports faults in values without a prefix. Based on responses of DynamoDB captured in October 2026.
#pragma once

#include <optional>
#include <string_view>

#include "model/item_requests.h"
#include "model/table.h"
#include "protocol/json/attribute_value_json.h"
#include "protocol/validation/constraints.h"
#include "protocol/validation/legacy_conditions_json.h"
#include "protocol/validation/placeholders_json.h"

namespace trestle {

struct WriteMembers {
  // Reads the member if it is one of these.
  Result<void> take(const JsonMember& member);

  std::optional<std::string_view> table_name;
  std::optional<std::string_view> return_values_text;
  std::optional<std::string_view> return_consumed_capacity_text;
  std::optional<std::string_view> return_item_collection_metrics_text;
  std::optional<std::string_view> conditional_operator_text;
  std::optional<std::string_view> return_item_on_failure_text;
  std::optional<std::string_view> condition_expression;
  std::optional<UncheckedConditions> expected;
  UncheckedPlaceholders placeholders{ValueWording::kCurrent};

  bool very_deep() const;
};

// The request's enumerations, after validation.
struct WriteChoices {
  ReturnValues return_values = ReturnValues::kNone;
  ReturnConsumedCapacity return_consumed_capacity = ReturnConsumedCapacity::kNone;
  bool return_item_collection_metrics = false;
  bool return_item_on_failure = false;
  std::optional<ConditionalOperator> conditional_operator;
};

enum class WriteOperation { kPutItem, kUpdateItem, kDeleteItem };

// Validates a write: its members, in the layer that DynamoDB would use.
class WriteValidation {
 public:
  WriteValidation(WriteOperation operation, WriteMembers& members) : operation_(operation), members_(members) {}

  // Checks the members' own constraints. The subject is the item or key that the request must have. Afterwards the
  // choices are set, and refused() formats messages for the right layer.
  Result<void> constrain(bool has_subject, bool subject_very_deep);
  // An error about a value or a combination, in the words of the layer that reports it.
  std::unexpected<Error> refused(std::string_view message) const;
  // The same for the result of a check.
  Result<void> check(Result<void> checked) const;
  // Expected and ConditionalOperator as a condition, checked. Used together with the condition expression.
  Result<WriteCondition> condition() const;

  const WriteChoices& choices() const { return choices_; }
  // Whether the older layer validates the request.
  bool is_older() const { return older_; }
  // Sets the members that the requests of these operations share, except the condition. Call it last.
  template <class Request>
  void complete(Request& request) {
    request.table_name = *table_name_of(*members_.table_name);
    request.placeholders = members_.placeholders.release();
    request.return_values = choices_.return_values;
    request.return_consumed_capacity = choices_.return_consumed_capacity;
    request.return_item_collection_metrics = choices_.return_item_collection_metrics;
  }

 private:
  Result<void> constrain_older(bool has_subject);
  Result<void> constrain_current();

  WriteOperation operation_;
  WriteMembers& members_;
  WriteChoices choices_;
  bool older_ = false;
};

// Reads a PutItem or DeleteItem: checks everything that DynamoDB validates before it parses the expression, in
// DynamoDB's order. `subject` is the request's item or key. The engine validates the expression, and the subject once
// the table's key is known.
template <class Request>
Result<void> read_item_write(JsonInput input, WriteOperation operation, Item& subject, Request& request) {
  const ValueReader values(ValueWording::kCurrent);
  WriteMembers members;
  std::optional<Noted<Item>> item;
  for (const JsonMember member : input) {
    if (member.name == (operation == WriteOperation::kPutItem ? "Item" : "Key")) {
      TRY_INTO(item, values.item(member.value));
    } else {
      TRY(members.take(member));
    }
  }

  WriteValidation validation(operation, members);
  TRY(validation.constrain(item.has_value(), item && item->very_deep));
  TRY(validation.check(
      members.placeholders.check_combination({{"Expected", members.expected.has_value()}},
                                             {{"ConditionExpression", members.condition_expression.has_value()}})));
  const ReturnValues return_values = validation.choices().return_values;
  if (return_values != ReturnValues::kNone && return_values != ReturnValues::kAllOld) {
    return validation.refused("ReturnValues can only be ALL_OLD or NONE");
  }
  if (item->fault) return validation.refused(*item->fault);
  TRY_INTO(request.condition, validation.condition());
  TRY(validation.check(members.placeholders.check()));
  subject = std::move(item->value);
  validation.complete(request);
  return {};
}

}  // namespace trestle
