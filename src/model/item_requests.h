// PutItem, GetItem, UpdateItem, DeleteItem.
#pragma once

#include "model/parameters.h"

namespace trestle {

struct PutItemRequest {
  std::string table_name;
  Item item;
  WriteCondition condition;
  Placeholders placeholders;
  ReturnValues return_values = ReturnValues::kNone;
  ReturnConsumedCapacity return_consumed_capacity = ReturnConsumedCapacity::kNone;
  bool return_item_collection_metrics = false;
};

struct DeleteItemRequest {
  std::string table_name;
  Item key;
  WriteCondition condition;
  Placeholders placeholders;
  ReturnValues return_values = ReturnValues::kNone;
  ReturnConsumedCapacity return_consumed_capacity = ReturnConsumedCapacity::kNone;
  bool return_item_collection_metrics = false;
};

struct UpdateItemRequest {
  std::string table_name;
  Item key;
  std::optional<std::string> update_expression;
  std::optional<std::vector<LegacyUpdate>> attribute_updates;
  WriteCondition condition;
  Placeholders placeholders;
  ReturnValues return_values = ReturnValues::kNone;
  ReturnConsumedCapacity return_consumed_capacity = ReturnConsumedCapacity::kNone;
  bool return_item_collection_metrics = false;
};

// Response of PutItem, UpdateItem and DeleteItem.
struct WriteItemResponse {
  std::optional<Item> attributes;
  std::optional<ConsumedCapacity> consumed_capacity;
  std::optional<ItemCollectionMetrics> item_collection_metrics;
};
using PutItemResponse = WriteItemResponse;
using DeleteItemResponse = WriteItemResponse;
using UpdateItemResponse = WriteItemResponse;

struct GetItemRequest {
  std::string table_name;
  Item key;
  ReadProjection projection;
  std::optional<NameMap> names;
  bool consistent_read = false;
  ReturnConsumedCapacity return_consumed_capacity = ReturnConsumedCapacity::kNone;
};

struct GetItemResponse {
  std::optional<Item> item;
  std::optional<ConsumedCapacity> consumed_capacity;
};

}  // namespace trestle
