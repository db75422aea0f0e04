#include "protocol/shapes/by_hand.h"

#include "protocol/json/attribute_value_json.h"
#include "protocol/validation/write_members.h"

namespace trestle {

// As for PutItem, the engine validates the expressions and everything after them.
Result<DeleteItemRequest> read_request_by_hand(JsonInput input, Of<DeleteItemRequest>) {
  const ValueReader values(ValueWording::kCurrent);
  WriteMembers members;
  std::optional<Noted<Item>> key;
  for (const JsonMember member : input) {
    if (member.name == "Key") {
      TRY_INTO(key, values.item(member.value));
    } else {
      TRY(members.take(member));
    }
  }

  WriteValidation validation(WriteOperation::kDeleteItem, members, "key");
  TRY(validation.constrain(key.has_value(), key && key->very_deep));

  TRY(validation.check(
      members.placeholders.check_combination({{"Expected", members.expected.has_value()}},
                                             {{"ConditionExpression", members.condition_expression.has_value()}})));
  const ReturnValues return_values = validation.choices().return_values;
  if (return_values != ReturnValues::kNone && return_values != ReturnValues::kAllOld) {
    return validation.refused("ReturnValues can only be ALL_OLD or NONE");
  }
  if (key->fault) return validation.refused(*key->fault);
  TRY_INTO(WriteCondition condition, validation.condition());
  TRY(validation.check(members.placeholders.check()));

  DeleteItemRequest request;
  request.table_name = validation.bare_table_name();
  request.key = std::move(key->value);
  request.condition = std::move(condition);
  request.placeholders = members.placeholders.release();
  request.return_values = return_values;
  request.return_consumed_capacity = validation.choices().return_consumed_capacity;
  request.return_item_collection_metrics = validation.choices().return_item_collection_metrics;
  return request;
}

}  // namespace trestle
