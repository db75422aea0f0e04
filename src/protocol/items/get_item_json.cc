#include "protocol/shapes/by_hand.h"

#include "model/shapes/item_enumerations.h"
#include "model/table.h"
#include "protocol/json/attribute_value_json.h"
#include "protocol/validation/placeholders_json.h"
#include "protocol/validation/projection_json.h"

namespace trestle {

// The engine validates the ProjectionExpression and everything after it.
Result<GetItemRequest> read_request_by_hand(JsonInput input, Of<GetItemRequest>) {
  const ValueReader values(ValueWording::kCurrent);
  std::optional<std::string_view> table_name;
  std::optional<std::string_view> return_consumed_capacity;
  std::optional<Noted<Item>> key;
  UncheckedProjection projection;
  UncheckedPlaceholders placeholders(ValueWording::kCurrent);
  GetItemRequest request;
  for (const JsonMember member : input) {
    if (member.name == "TableName") {
      TRY_INTO(table_name, json_string(member.value));
    } else if (member.name == "Key") {
      TRY_INTO(key, values.item(member.value));
    } else if (member.name == "ConsistentRead") {
      TRY_INTO(request.consistent_read, json_boolean(member.value));
    } else if (member.name == "ReturnConsumedCapacity") {
      TRY_INTO(return_consumed_capacity, json_string(member.value));
    } else if (member.name == "ExpressionAttributeNames") {
      TRY(placeholders.take(member));
    } else {
      TRY(projection.take(member));
    }
  }

  Constraints constraints;
  constraints.one_of(return_consumed_capacity, "returnConsumedCapacity", kReturnConsumedCapacities,
                     request.return_consumed_capacity);
  projection.constrain("attributesToGet", constraints);
  constraints.not_null(table_name.has_value(), "tableName");
  constraints.table_name_or_arn(table_name, "tableName");
  constraints.not_null(key.has_value(), "key");
  TRY(constraints.check());

  TRY(placeholders.check_combination({{"AttributesToGet", projection.attributes.has_value()}},
                                     {{"ProjectionExpression", projection.expression.has_value()}}));
  if (key->fault) return invalid(*key->fault);
  TRY(projection.check());
  TRY(placeholders.check());

  request.table_name = *table_name_of(*table_name);
  request.key = std::move(key->value);
  request.projection = projection.release();
  request.names = placeholders.release_names();
  return request;
}

}  // namespace trestle
