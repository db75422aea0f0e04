// TransactWriteItems and TransactGetItems: all of it or none of it, as if nothing else happened meanwhile.
#pragma once

#include "model/parameters.h"

namespace trestle {

// What is wrong with the values of one action, in DynamoDB's words. It is told when the action's turn comes: DynamoDB
// goes through the actions in order, values first and then expressions, and expressions are not the door's to read.
using Fault = std::optional<std::string>;

// One action of a transaction. Each names an item of its own.
struct TransactWrite {
  enum class Kind { kConditionCheck, kPut, kDelete, kUpdate } kind = Kind::kPut;
  std::string table_name;
  Item item;                                     // kPut: the item; otherwise the key of the item
  std::optional<std::string> update_expression;  // kUpdate has one
  WriteCondition condition;                      // in its new form only; kConditionCheck has one
  Placeholders placeholders;
  Fault fault;
  Fault key_fault;  // of an action other than Put; reported after what is wrong with the action's expressions
};

struct TransactWriteItemsRequest {
  std::vector<TransactWrite> writes;  // 1 to 100
  // A request with a token takes effect once, however often it is sent within ten minutes.
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
  std::vector<std::optional<Item>> items;  // as the request's; absent: no such item
  std::vector<ConsumedCapacity> consumed_capacity;
};

}  // namespace trestle
