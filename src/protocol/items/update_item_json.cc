#include "protocol/shapes/by_hand.h"

#include "protocol/json/attribute_value_json.h"
#include "protocol/validation/write_members.h"

namespace trestle {
namespace {

bool any_very_deep(const std::optional<UncheckedUpdates>& updates) {
  if (!updates) return false;
  for (const auto& update : *updates) {
    if (update.value && update.value->very_deep) return true;
  }
  return false;
}

}  // namespace

// As for PutItem, the engine validates the expressions and everything after them.
Result<UpdateItemRequest> read_request_by_hand(JsonInput input, Of<UpdateItemRequest>) {
  const ValueReader values(ValueWording::kCurrent);
  WriteMembers members;
  std::optional<Noted<Item>> key;
  std::optional<std::string_view> update_expression;
  std::optional<UncheckedUpdates> updates;
  for (const JsonMember member : input) {
    if (member.name == "Key") {
      TRY_INTO(key, values.item(member.value));
    } else if (member.name == "UpdateExpression") {
      TRY_INTO(update_expression, json_string(member.value));
    } else if (member.name == "AttributeUpdates") {
      TRY_INTO(updates, read_attribute_updates(member.value, values));
    } else {
      TRY(members.take(member));
    }
  }

  WriteValidation validation(WriteOperation::kUpdateItem, members);
  TRY(validation.constrain(key.has_value(), (key && key->very_deep) || any_very_deep(updates)));
  Constraints actions;
  constrain_attribute_updates(updates, actions);
  TRY(actions.check());

  TRY(validation.check(members.placeholders.check_combination(
      {{"AttributeUpdates", updates.has_value()}, {"Expected", members.expected.has_value()}},
      {{"UpdateExpression", update_expression.has_value()},
       {"ConditionExpression", members.condition_expression.has_value()}})));
  if (key->fault) return validation.refused(*key->fault);
  UpdateItemRequest request;
  if (updates) {
    auto checked = check_attribute_updates(std::move(*updates));
    if (!checked.has_value()) return validation.refused(checked.error().message);
    request.attribute_updates = std::move(*checked);
  }
  TRY_INTO(request.condition, validation.condition());
  TRY(validation.check(members.placeholders.check(validation.is_older())));

  request.key = std::move(key->value);
  request.update_expression = update_expression;
  validation.complete(request);
  return request;
}

}  // namespace trestle
