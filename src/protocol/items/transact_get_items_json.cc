#include "protocol/shapes/by_hand.h"

#include "model/shapes/item_enumerations.h"
#include "model/table.h"
#include "protocol/json/attribute_value_json.h"
#include "protocol/validation/placeholders_json.h"
#include "protocol/validation/transact_items.h"

namespace trestle {
namespace {

struct UncheckedGet {
  bool present = false;  // has Get
  std::optional<std::string_view> table_name;
  std::optional<Noted<Item>> key;
  std::optional<std::string_view> projection_expression;
  UncheckedPlaceholders placeholders{ValueWording::kOlder};
};

Result<UncheckedGet> read_get(JsonElement json) {
  const ValueReader values(ValueWording::kOlder);
  UncheckedGet get;
  TRY_INTO(const JsonInput element, json_structure(json, "TransactGetItem", JsonPlace::kElement));
  for (const JsonMember outer : element) {
    if (outer.name != "Get") continue;
    get.present = true;
    TRY_INTO(const JsonInput members, json_structure(outer.value, "Get", JsonPlace::kMember));
    for (const JsonMember member : members) {
      if (member.name == "TableName") {
        TRY_INTO(get.table_name, json_string(member.value));
      } else if (member.name == "Key") {
        TRY_INTO(get.key, values.item(member.value));
      } else if (member.name == "ProjectionExpression") {
        TRY_INTO(get.projection_expression, json_string(member.value));
      } else if (member.name == "ExpressionAttributeNames") {
        TRY(get.placeholders.take(member));
      }
    }
  }
  return get;
}

void constrain_get(const UncheckedGet& get, const MemberPath& element, Constraints& constraints) {
  const MemberPath member(&element, "get");
  constraints.not_null(get.present, member);
  if (!get.present) return;
  constraints.not_null(get.key.has_value(), MemberPath(&member, "key"));
  constraints.not_null(get.table_name.has_value(), MemberPath(&member, "tableName"));
  constraints.table_name_or_arn(get.table_name, MemberPath(&member, "tableName"));
}

TransactGet release(UncheckedGet& unchecked) {
  TransactGet get;
  note(get.fault, unchecked.key->fault);
  note(get.fault, unchecked.placeholders.check());
  get.table_name = *table_name_of(*unchecked.table_name);
  get.key = std::move(unchecked.key->value);
  get.projection.expression = unchecked.projection_expression;
  get.names = unchecked.placeholders.release_names();
  return get;
}

}  // namespace

// Validated like TransactWriteItems.
Result<TransactGetItemsRequest> read_request_by_hand(JsonInput input, Of<TransactGetItemsRequest>) {
  TransactGetItemsRequest request;
  std::optional<std::vector<UncheckedGet>> gets;
  std::optional<std::string_view> capacity_text;
  for (const JsonMember member : input) {
    if (member.name == "TransactItems") {
      TRY_INTO(const JsonArray array, json_list(member.value));
      gets.emplace();
      for (const JsonElement json : array) {
        if (json.is_null()) continue;
        TRY_INTO(UncheckedGet get, read_get(json));
        gets->push_back(std::move(get));
      }
    } else if (member.name == "ReturnConsumedCapacity") {
      TRY_INTO(capacity_text, json_string(member.value));
    }
  }

  Constraints constraints;
  constraints.one_of(capacity_text, "returnConsumedCapacity", kReturnConsumedCapacities,
                     request.return_consumed_capacity);
  constrain_transact_items(gets.has_value(), gets ? gets->size() : 0, constraints);
  const MemberPath list("transactItems");
  for (size_t i = 0; gets && i < gets->size(); ++i) {
    constrain_get((*gets)[i], MemberPath(&list, "member", i + 1), constraints);
  }
  TRY(constraints.check());

  request.gets.reserve(gets->size());
  for (UncheckedGet& get : *gets) request.gets.push_back(release(get));
  return request;
}

}  // namespace trestle
