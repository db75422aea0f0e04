// BatchGetItem and BatchWriteItem. The unprocessed part of a response is a request to send again.
#pragma once

#include "model/parameters.h"

namespace trestle {

struct BatchGetTable {
  std::string table_name;
  std::vector<Item> keys;
  ReadProjection projection;
  std::optional<NameMap> names;
  bool consistent_read = false;
};

struct BatchGetItemRequest {
  std::vector<BatchGetTable> tables;
  ReturnConsumedCapacity return_consumed_capacity = ReturnConsumedCapacity::kNone;
};

struct BatchGetItemResponse {
  std::vector<std::pair<std::string, ItemList>> responses;
  std::vector<BatchGetTable> unprocessed;
  std::vector<ConsumedCapacity> consumed_capacity;
};

// A put of `item`, or a deletion of the item whose key is `item`.
struct BatchWrite {
  bool is_delete = false;
  Item item;
};

struct BatchWriteTable {
  std::string table_name;
  std::vector<BatchWrite> writes;
};

struct BatchWriteItemRequest {
  std::vector<BatchWriteTable> tables;
  ReturnConsumedCapacity return_consumed_capacity = ReturnConsumedCapacity::kNone;
  bool return_item_collection_metrics = false;
};

struct BatchWriteItemResponse {
  std::vector<BatchWriteTable> unprocessed;
  std::vector<std::pair<std::string, std::vector<ItemCollectionMetrics>>> item_collection_metrics;
  std::vector<ConsumedCapacity> consumed_capacity;
};

}  // namespace trestle
