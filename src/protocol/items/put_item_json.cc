#include "protocol/shapes/by_hand.h"

#include "model/limits.h"
#include "protocol/json/attribute_value_json.h"
#include "protocol/validation/write_members.h"

namespace trestle {

// Checks everything that DynamoDB validates before it parses the expression, in DynamoDB's order. The engine validates
// the expression, and the item once the table's key is known.
Result<PutItemRequest> read_request_by_hand(JsonInput input, Of<PutItemRequest>) {
  const ValueReader values(ValueWording::kCurrent);
  WriteMembers members;
  std::optional<Noted<Item>> item;
  for (const JsonMember member : input) {
    if (member.name == "Item") {
      TRY_INTO(item, values.item(member.value));
    } else {
      TRY(members.take(member));
    }
  }

  WriteValidation validation(WriteOperation::kPutItem, members, "item");
  TRY(validation.constrain(item.has_value(), item && item->very_deep));

  TRY(validation.check(
      members.placeholders.check_combination({{"Expected", members.expected.has_value()}},
                                             {{"ConditionExpression", members.condition_expression.has_value()}})));
  const ReturnValues return_values = validation.choices().return_values;
  if (return_values != ReturnValues::kNone && return_values != ReturnValues::kAllOld) {
    return validation.refused("ReturnValues can only be ALL_OLD or NONE");
  }
  if (item->fault) return validation.refused(*item->fault);
  TRY_INTO(WriteCondition condition, validation.condition());
  TRY(validation.check(members.placeholders.check()));
  if (item->value.size_bytes() > kItemBytesMax) return invalid(kItemTooLarge);

  PutItemRequest request;
  request.table_name = validation.bare_table_name();
  request.item = std::move(item->value);
  request.condition = std::move(condition);
  request.placeholders = members.placeholders.release();
  request.return_values = return_values;
  request.return_consumed_capacity = validation.choices().return_consumed_capacity;
  request.return_item_collection_metrics = validation.choices().return_item_collection_metrics;
  return request;
}

}  // namespace trestle
