#include "runtime/requests/write_requests.h"

namespace trestle::runtime {

using design::RequestKind;

namespace {

TransactWrite::Kind transact_kind(RequestKind kind) {
  switch (kind) {
    case RequestKind::kPutItem:
      return TransactWrite::Kind::kPut;
    case RequestKind::kUpdateItem:
      return TransactWrite::Kind::kUpdate;
    case RequestKind::kDeleteItem:
      return TransactWrite::Kind::kDelete;
    default:
      return TransactWrite::Kind::kConditionCheck;
  }
}

WriteCondition condition_of(const WriteAction& action) {
  WriteCondition condition;
  if (action.condition.empty()) return condition;
  condition.expression = action.condition;
  condition.return_item_on_failure = true;
  return condition;
}

}  // namespace

PutItemRequest put_request(const WriteAction& action) {
  PutItemRequest request{.table_name = action.table, .item = action.item};
  request.condition = condition_of(action);
  request.placeholders = action.placeholders;
  return request;
}

UpdateItemRequest update_request(const WriteAction& action, bool returns_item) {
  UpdateItemRequest request{.table_name = action.table, .key = action.key};
  if (!action.update.empty()) request.update_expression = action.update;
  request.condition = condition_of(action);
  request.placeholders = action.placeholders;
  if (returns_item) request.return_values = ReturnValues::kAllNew;
  return request;
}

DeleteItemRequest delete_request(const WriteAction& action, bool returns_item) {
  DeleteItemRequest request{.table_name = action.table, .key = action.key};
  request.condition = condition_of(action);
  request.placeholders = action.placeholders;
  if (returns_item) request.return_values = ReturnValues::kAllOld;
  return request;
}

TransactWriteItemsRequest transact_request(const std::vector<WriteAction>& actions) {
  TransactWriteItemsRequest request;
  for (const WriteAction& action : actions) {
    TransactWrite write{.kind = transact_kind(action.kind), .table_name = action.table};
    write.item = action.kind == RequestKind::kPutItem ? action.item : action.key;
    if (action.kind == RequestKind::kUpdateItem) {
      if (action.update.empty())
        write.kind = TransactWrite::Kind::kConditionCheck;
      else
        write.update_expression = action.update;
    }
    write.condition = condition_of(action);
    write.placeholders = action.placeholders;
    // An action that neither updates nor checks anything must not be in a transaction.
    if (write.kind == TransactWrite::Kind::kConditionCheck && !write.condition.expression) continue;
    request.writes.push_back(std::move(write));
  }
  return request;
}

}  // namespace trestle::runtime
