#include "protocol/shapes/by_hand.h"

#include "model/limits.h"
#include "model/shapes/item_enumerations.h"
#include "model/table.h"
#include "protocol/json/attribute_value_json.h"
#include "protocol/validation/placeholders_json.h"
#include "protocol/validation/transact_items.h"

namespace trestle {
namespace {

using Kind = TransactWrite::Kind;

struct ActionName {
  std::string_view name;    // the action's name in the request, and its structure's
  std::string_view member;  // the action's name in messages
  Kind kind;
};
constexpr ActionName kActions[] = {
    {"ConditionCheck", "conditionCheck", Kind::kConditionCheck},
    {"Put", "put", Kind::kPut},
    {"Delete", "delete", Kind::kDelete},
    {"Update", "update", Kind::kUpdate},
};

struct UncheckedAction {
  const ActionName* action = nullptr;
  std::optional<std::string_view> table_name;
  std::optional<Noted<Item>> subject;  // Item of a Put, Key of the other actions
  std::optional<std::string_view> update_expression;
  std::optional<std::string_view> condition_expression;
  std::optional<std::string_view> return_item_on_failure_text;
  bool return_item_on_failure = false;
  UncheckedPlaceholders placeholders{ValueWording::kOlder, kNestingDepthMax + 1};
};
// One element of TransactItems. It must have one action, but a request may contain any number.
using UncheckedTransactWrite = std::vector<UncheckedAction>;

Result<UncheckedAction> read_action(const ActionName& action, JsonElement json) {
  const ValueReader values(ValueWording::kOlder);
  UncheckedAction unchecked;
  unchecked.action = &action;
  const std::string_view subject = action.kind == Kind::kPut ? "Item" : "Key";
  TRY_INTO(const JsonInput members, json_structure(json, action.name, JsonPlace::kMember));
  for (const JsonMember member : members) {
    if (member.name == "TableName") {
      TRY_INTO(unchecked.table_name, json_string(member.value));
    } else if (member.name == subject) {
      TRY_INTO(unchecked.subject, values.item(member.value));
    } else if (member.name == "UpdateExpression" && action.kind == Kind::kUpdate) {
      TRY_INTO(unchecked.update_expression, json_string(member.value));
    } else if (member.name == "ConditionExpression") {
      TRY_INTO(unchecked.condition_expression, json_string(member.value));
    } else if (member.name == "ReturnValuesOnConditionCheckFailure") {
      TRY_INTO(unchecked.return_item_on_failure_text, json_string(member.value));
    } else {
      TRY(unchecked.placeholders.take(member));
    }
  }
  return unchecked;
}

Result<UncheckedTransactWrite> read_transact_write(JsonElement json) {
  UncheckedTransactWrite write;
  TRY_INTO(const JsonInput members, json_structure(json, "TransactWriteItem", JsonPlace::kElement));
  for (const JsonMember member : members) {
    for (const ActionName& action : kActions) {
      if (member.name != action.name) continue;
      TRY_INTO(UncheckedAction unchecked, read_action(action, member.value));
      write.push_back(std::move(unchecked));
    }
  }
  return write;
}

void constrain_action(UncheckedAction& unchecked, const MemberPath& element, Constraints& constraints) {
  const MemberPath action(&element, unchecked.action->member);
  const Kind kind = unchecked.action->kind;
  constraints.not_null(unchecked.subject.has_value(), MemberPath(&action, kind == Kind::kPut ? "item" : "key"));
  if (kind == Kind::kUpdate) {
    constraints.not_null(unchecked.update_expression.has_value(), MemberPath(&action, "updateExpression"));
  }
  constraints.not_null(unchecked.table_name.has_value(), MemberPath(&action, "tableName"));
  constraints.table_name_or_arn(unchecked.table_name, MemberPath(&action, "tableName"));
  if (kind == Kind::kConditionCheck) {
    constraints.not_null(unchecked.condition_expression.has_value(), MemberPath(&action, "conditionExpression"));
  }
  constraints.one_of(unchecked.return_item_on_failure_text, MemberPath(&action, "returnValuesOnConditionCheckFailure"),
                     kReturnItemOnFailure, unchecked.return_item_on_failure);
}

TransactWrite release(UncheckedTransactWrite& unchecked) {
  TransactWrite write;
  if (unchecked.empty()) {
    write.fault = "Invalid Request: TransactWriteRequest should contain Delete or Put or Update request";
    return write;
  }
  if (unchecked.size() > 1) {
    write.fault = "TransactItems can only contain one of Check, Put, Update or Delete";
    return write;
  }
  UncheckedAction& action = unchecked.front();
  write.kind = action.action->kind;
  note(write.kind == Kind::kPut ? write.fault : write.key_fault, action.subject->fault);
  note(write.fault, action.placeholders.check());
  write.table_name = *table_name_of(*action.table_name);
  write.item = std::move(action.subject->value);
  if (!write.fault && write.kind == Kind::kPut && write.item.size_bytes() > kItemBytesMax) {
    write.fault = kItemTooLarge;
  }
  write.update_expression = action.update_expression;
  write.condition.expression = action.condition_expression;
  write.condition.return_item_on_failure = action.return_item_on_failure;
  write.placeholders = action.placeholders.release();
  return write;
}

}  // namespace

// In most regions, DynamoDB's older layer validates transactions. After the constraints it checks the actions one by
// one, first values and then expressions. The engine checks the expressions, and therefore reports the faults of both.
Result<TransactWriteItemsRequest> read_request_by_hand(JsonInput input, Of<TransactWriteItemsRequest>) {
  TransactWriteItemsRequest request;
  std::optional<std::vector<UncheckedTransactWrite>> writes;
  std::optional<std::string_view> token;
  std::optional<std::string_view> capacity_text;
  std::optional<std::string_view> metrics_text;
  for (const JsonMember member : input) {
    if (member.name == "TransactItems") {
      TRY_INTO(const JsonArray array, json_list(member.value));
      writes.emplace();
      for (const JsonElement json : array) {
        if (json.is_null()) continue;
        TRY_INTO(UncheckedTransactWrite write, read_transact_write(json));
        writes->push_back(std::move(write));
      }
    } else if (member.name == "ClientRequestToken") {
      TRY_INTO(token, json_string(member.value));
    } else if (member.name == "ReturnConsumedCapacity") {
      TRY_INTO(capacity_text, json_string(member.value));
    } else if (member.name == "ReturnItemCollectionMetrics") {
      TRY_INTO(metrics_text, json_string(member.value));
    }
  }

  Constraints constraints;
  constraints.length_at_least(token, "clientRequestToken", 1);
  constraints.length_at_most(token, "clientRequestToken", kRequestTokenLengthMax);
  constraints.one_of(capacity_text, "returnConsumedCapacity", kReturnConsumedCapacities,
                     request.return_consumed_capacity);
  constraints.one_of(metrics_text, "returnItemCollectionMetrics", kReturnItemCollectionMetrics,
                     request.return_item_collection_metrics);
  constrain_transact_items(writes.has_value(), writes ? writes->size() : 0, constraints);
  const MemberPath list("transactItems");
  for (size_t i = 0; writes && i < writes->size(); ++i) {
    for (UncheckedAction& action : (*writes)[i])
      constrain_action(action, MemberPath(&list, "member", i + 1), constraints);
  }
  TRY(constraints.check());

  request.client_request_token = token;
  request.writes.reserve(writes->size());
  for (UncheckedTransactWrite& write : *writes) request.writes.push_back(release(write));
  return request;
}

}  // namespace trestle
