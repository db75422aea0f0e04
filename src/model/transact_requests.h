// TransactWriteItems and TransactGetItems: atomic and isolated operations on several items.
#pragma once

#include "model/parameters.h"

namespace trestle {

// The error in the values of an action, with DynamoDB's message. DynamoDB checks the actions in order, values first and
// then expressions. The protocol layer finds errors in values but does not parse expressions, so it stores the error
// here until the action's turn comes.
using Fault = std::optional<std::string>;

// An action of a transaction. No two actions may be on the same item.
struct TransactWrite {
  enum class Kind { kConditionCheck, kPut, kDelete, kUpdate } kind = Kind::kPut;
  std::string table_name;
  Item item;                                     // kPut: the item; otherwise the key of the item
  std::optional<std::string> update_expression;  // kUpdate only
  WriteCondition condition;                      // expressions only; required for kConditionCheck
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
  ReadProjection projection;  // expressions only
  std::optional<NameMap> names;
  Fault fault;
};

struct TransactGetItemsRequest {
  std::vector<TransactGet> gets;  // 1 to 100
  ReturnConsumedCapacity return_consumed_capacity = ReturnConsumedCapacity::kNone;
};

struct TransactGetItemsResponse {
  std::vector<std::optional<Item>> items;  // in the order of the request; absent: the item does not exist
  std::vector<ConsumedCapacity> consumed_capacity;
};

}  // namespace trestle
