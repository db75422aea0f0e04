// The shapes of BatchGetItem, BatchWriteItem, TransactGetItems and TransactWriteItems.
#pragma once

#include "model/batch_requests.h"
#include "model/shapes/item_shapes.h"
#include "model/transact_requests.h"

namespace trestle {

// ---- Batches.

template <>
struct Shape<BatchGetTable> : ShapeRules {
  static constexpr auto by_table = keyed_by(&BatchGetTable::table_name);
  static void members(auto& of) {
    using Of = BatchGetTable;
    of.inlined(&Of::projection, as<LegacyProjection>);
    of.member("ConsistentRead", &Of::consistent_read, omit_default);
    of.member("ExpressionAttributeNames", &Of::names);
    of.member("Keys", &Of::keys, count(1, kBatchGetKeysMax));
    of.inlined(&Of::projection, as<NewProjection>);
  }
};
template <>
struct Shape<BatchGetItemRequest> : ItemRules {
  static void members(auto& of) {
    of.member("RequestItems", &BatchGetItemRequest::tables, Shape<BatchGetTable>::by_table, count(1));
    return_consumed_capacity<BatchGetItemRequest>(of);
  }
};
template <>
struct Shape<BatchGetItemResponse> : ShapeRules {
  static void members(auto& of) {
    using Of = BatchGetItemResponse;
    of.member("ConsumedCapacity", &Of::consumed_capacity, omit_default);
    of.member("Responses", &Of::responses);
    of.member("UnprocessedKeys", &Of::unprocessed, Shape<BatchGetTable>::by_table);
  }
};

template <>
struct Shape<BatchWrite> : ShapeRules {
  static void members(auto& of) {
    using Of = BatchWrite;
    of.alternative("PutRequest", &Of::is_delete, false, [](auto& put) { put.member("Item", &Of::item); });
    of.alternative("DeleteRequest", &Of::is_delete, true, [](auto& remove) { remove.member("Key", &Of::item); });
  }
};
struct BatchWriteRules : ItemRules {
  static constexpr auto by_table = keyed_by(&BatchWriteTable::table_name, &BatchWriteTable::writes);
};
template <>
struct Shape<BatchWriteItemRequest> : BatchWriteRules {
  static void members(auto& of) {
    using Of = BatchWriteItemRequest;
    of.member("RequestItems", &Of::tables, by_table, count(1));
    return_consumed_capacity<Of>(of);
    return_item_collection_metrics<Of>(of);
  }
};
template <>
struct Shape<BatchWriteItemResponse> : BatchWriteRules {
  static void members(auto& of) {
    using Of = BatchWriteItemResponse;
    of.member("ConsumedCapacity", &Of::consumed_capacity, omit_default);
    of.member("ItemCollectionMetrics", &Of::item_collection_metrics, omit_default);
    of.member("UnprocessedItems", &Of::unprocessed, by_table);
  }
};

// ---- Transactions.

template <>
struct Shape<TransactGet> : ShapeRules {
  static void members(auto& of) {
    using Of = TransactGet;
    of.structure("Get", [](auto& get) {
      get.member("TableName", &Of::table_name, table_name_or_arn);
      get.member("Key", &Of::key);
      get.inlined(&Of::projection, as<NewProjection>);
      get.member("ExpressionAttributeNames", &Of::names);
    });
  }
};
template <>
struct Shape<TransactGetItemsRequest> : ItemRules {
  static void members(auto& of) {
    of.member("TransactItems", &TransactGetItemsRequest::gets, count(1, kTransactionItemsMax));
    return_consumed_capacity<TransactGetItemsRequest>(of);
  }
};
template <>
struct Shape<TransactGetItemsResponse> : ShapeRules {
  static void members(auto& of) {
    of.member("ConsumedCapacity", &TransactGetItemsResponse::consumed_capacity, omit_default);
    of.member("Responses", &TransactGetItemsResponse::items, wrapped_in("ItemResponse", "Item"));
  }
};

template <>
struct Shape<TransactWrite> : ShapeRules {
  using Of = TransactWrite;
  static void subject(auto& action, std::string_view item_name) {
    action.member("TableName", &Of::table_name, table_name_or_arn);
    action.member(item_name, &Of::item);
  }
  static void condition(auto& action) {
    action.inlined(&Of::condition, as<NewCondition>);
    action.inlined(&Of::placeholders);
  }
  static void members(auto& of) {
    using Kind = TransactWrite::Kind;
    const auto of_key = [](auto& action) {
      subject(action, "Key");
      condition(action);
    };
    of.alternative("ConditionCheck", &Of::kind, Kind::kConditionCheck, of_key);
    of.alternative("Delete", &Of::kind, Kind::kDelete, of_key);
    of.alternative("Put", &Of::kind, Kind::kPut, [](auto& put) {
      subject(put, "Item");
      condition(put);
    });
    of.alternative("Update", &Of::kind, Kind::kUpdate, [](auto& update) {
      subject(update, "Key");
      update.member("UpdateExpression", &Of::update_expression, required);
      condition(update);
    });
  }
};
template <>
struct Shape<TransactWriteItemsRequest> : ItemRules {
  static void members(auto& of) {
    using Of = TransactWriteItemsRequest;
    of.member("TransactItems", &Of::writes, count(1, kTransactionItemsMax));
    of.member("ClientRequestToken", &Of::client_request_token, length(1, kRequestTokenLengthMax));
    return_consumed_capacity<Of>(of);
    return_item_collection_metrics<Of>(of);
  }
};
template <>
struct Shape<TransactWriteItemsResponse> : ShapeRules {
  static void members(auto& of) {
    using Of = TransactWriteItemsResponse;
    of.member("ConsumedCapacity", &Of::consumed_capacity, omit_default);
    of.member("ItemCollectionMetrics", &Of::item_collection_metrics, omit_default);
  }
};

}  // namespace trestle
