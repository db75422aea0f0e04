// TransactWriteItems and TransactGetItems: atomic and isolated.
#pragma once

#include "model/parameters.h"

namespace trestle {

// The error in the values of an action, in DynamoDB's words. It is reported when the action's turn comes: DynamoDB
// checks the actions in order, values first and then expressions, and the protocol layer does not read expressions.
using Fault = std::optional<std::string>;

// An action of a transaction. No two actions may be on the same item.
struct TransactWrite {
  enum class Kind { kConditionCheck, kPut, kDelete, kUpdate } kind = Kind::kPut;
  std::string table_name;
  Item item;                                     // kPut: the item; otherwise the key of the item
  std::optional<std::string> update_expression;  // kUpdate has one
  WriteCondition condition;                      // in its new form only; kConditionCheck has one
  Placeholders placeholders;
  Fault fault;
  Fault key_fault;  // not for Put; reported after errors in the action's expressions
};

struct TransactWriteItemsRequest {
  std::vector<TransactWrite> writes;  // 1 to 100
  // Requests with the same token within ten minutes take effect once.
  std::optional<std::string> client_request_token;
  ReturnConsumedCapacity return_consumed_capacity = ReturnConsumedCapacity::kNone;
  bool return_item_collection_metrics = false;
};

struct TransactWriteItemsResponse {
  std::vector<ConsumedCapacity> consumed_capacity;  // by table, in the order of first mention
  std::vector<std::pair<std::string, std::vector<ItemCollectionMetrics>>> item_collection_metrics;
};

struct TransactGet {
  std::string table_name;
  Item key;
  ReadProjection projection;  // in its new form only
  std::optional<NameMap> names;
  Fault fault;
};

struct TransactGetItemsRequest {
  std::vector<TransactGet> gets;  // 1 to 100
  ReturnConsumedCapacity return_consumed_capacity = ReturnConsumedCapacity::kNone;
};

struct TransactGetItemsResponse {
  std::vector<std::optional<Item>> items;  // in the order of the request; absent: no such item
  std::vector<ConsumedCapacity> consumed_capacity;
};

}  // namespace trestle
