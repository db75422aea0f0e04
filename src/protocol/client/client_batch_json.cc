// BatchGetItem, BatchWriteItem, TransactGetItems and TransactWriteItems in the client's direction.
#include "protocol/client/client_input.h"
#include "protocol/client/client_json.h"
#include "protocol/client/client_output.h"

namespace trestle {
namespace {

void put_get_table(JsonOutput& json, const BatchGetTable& table) {
  json.key_escaped(table.table_name).begin_object();
  json.key("Keys").begin_array();
  for (const Item& key : table.keys) {
    json.separate();
    append_item_json(json.text(), key);
  }
  json.end_array();
  put_projection(json, table.projection);
  put(json, "ExpressionAttributeNames", table.names);
  put_flag(json, "ConsistentRead", table.consistent_read);
  json.end_object();
}

void put_batch_write(JsonOutput& json, const BatchWrite& write) {
  json.key(write.is_delete ? "DeleteRequest" : "PutRequest").begin_object();
  put(json, write.is_delete ? "Key" : "Item", write.item);
  json.end_object();
}

std::string_view action_name(TransactWrite::Kind kind) {
  switch (kind) {
    case TransactWrite::Kind::kConditionCheck:
      return "ConditionCheck";
    case TransactWrite::Kind::kPut:
      return "Put";
    case TransactWrite::Kind::kDelete:
      return "Delete";
    case TransactWrite::Kind::kUpdate:
      return "Update";
  }
  return {};
}

void put_transact_write(JsonOutput& json, const TransactWrite& write) {
  json.key(action_name(write.kind)).begin_object();
  put(json, "TableName", write.table_name);
  put(json, write.kind == TransactWrite::Kind::kPut ? "Item" : "Key", write.item);
  put(json, "UpdateExpression", write.update_expression);
  put_condition(json, write.condition);
  put_placeholders(json, write.placeholders);
  json.end_object();
}

void put_transact_get(JsonOutput& json, const TransactGet& get) {
  json.key("Get").begin_object();
  put(json, "TableName", get.table_name);
  put(json, "Key", get.key);
  put_projection(json, get.projection);
  put(json, "ExpressionAttributeNames", get.names);
  json.end_object();
}

Result<void> take_get_table(const JsonMember& entry, BatchGetTable& table) {
  table.table_name = entry.name;
  return take_members(entry.value, into("Keys", table.keys), into("ConsistentRead", table.consistent_read),
                      into("ExpressionAttributeNames", table.names),
                      into("ProjectionExpression", table.projection.expression),
                      into("AttributesToGet", table.projection.attributes_to_get));
}

}  // namespace

// One of the elements of UnprocessedItems.
Result<void> take(JsonElement json, BatchWrite& write) {
  const auto take_inner = [&](bool is_delete) {
    return [&write, is_delete](JsonElement inner) -> Result<void> {
      write.is_delete = is_delete;
      return take_members(inner, into(is_delete ? "Key" : "Item", write.item));
    };
  };
  return take_members(json, into("PutRequest", take_inner(false)), into("DeleteRequest", take_inner(true)));
}

void write_request_by_hand(const BatchGetItemRequest& request, std::string& out) {
  JsonOutput json(out);
  json.begin_object();
  json.key("RequestItems").begin_object();
  for (const BatchGetTable& table : request.tables) put_get_table(json, table);
  json.end_object();
  put_return_consumed_capacity(json, request.return_consumed_capacity);
  json.end_object();
}

void write_request_by_hand(const BatchWriteItemRequest& request, std::string& out) {
  JsonOutput json(out);
  json.begin_object();
  json.key("RequestItems").begin_object();
  for (const BatchWriteTable& table : request.tables) {
    json.key_escaped(table.table_name).begin_array();
    for (const BatchWrite& write : table.writes) {
      json.begin_object();
      put_batch_write(json, write);
      json.end_object();
    }
    json.end_array();
  }
  json.end_object();
  put_return_consumed_capacity(json, request.return_consumed_capacity);
  put_return_item_collection_metrics(json, request.return_item_collection_metrics);
  json.end_object();
}

void write_request_by_hand(const TransactGetItemsRequest& request, std::string& out) {
  JsonOutput json(out);
  json.begin_object();
  put_list(json, "TransactItems", request.gets, put_transact_get);
  put_return_consumed_capacity(json, request.return_consumed_capacity);
  json.end_object();
}

void write_request_by_hand(const TransactWriteItemsRequest& request, std::string& out) {
  JsonOutput json(out);
  json.begin_object();
  put_list(json, "TransactItems", request.writes, put_transact_write);
  put(json, "ClientRequestToken", request.client_request_token);
  put_return_consumed_capacity(json, request.return_consumed_capacity);
  put_return_item_collection_metrics(json, request.return_item_collection_metrics);
  json.end_object();
}

Result<void> check_writable(const TransactGetItemsRequest& request) {
  for (const TransactGet& get : request.gets) {
    if (get.fault) return invalid(*get.fault);
  }
  return {};
}

Result<void> check_writable(const TransactWriteItemsRequest& request) {
  for (const TransactWrite& write : request.writes) {
    if (write.fault) return invalid(*write.fault);
  }
  return {};
}

Result<void> read_response_by_hand(JsonInput input, BatchGetItemResponse& response) {
  const auto take_unprocessed = [&](JsonElement json) -> Result<void> {
    TRY_INTO(const JsonInput map, json_map(json, "KeysAndAttributes"));
    for (const JsonMember entry : map) TRY(take_get_table(entry, response.unprocessed.emplace_back()));
    return {};
  };
  return take_members(input, into("Responses", response.responses), into("UnprocessedKeys", take_unprocessed),
                      into("ConsumedCapacity", response.consumed_capacity));
}

Result<void> read_response_by_hand(JsonInput input, BatchWriteItemResponse& response) {
  const auto take_unprocessed = [&](JsonElement json) -> Result<void> {
    TRY_INTO(const JsonInput map, json_map(json, "WriteRequest"));
    for (const JsonMember entry : map) {
      BatchWriteTable& table = response.unprocessed.emplace_back();
      table.table_name = entry.name;
      TRY(take(entry.value, table.writes));
    }
    return {};
  };
  return take_members(input, into("UnprocessedItems", take_unprocessed),
                      into("ItemCollectionMetrics", response.item_collection_metrics),
                      into("ConsumedCapacity", response.consumed_capacity));
}

// An element of Responses without an Item is an item that is not there.
Result<void> read_response_by_hand(JsonInput input, TransactGetItemsResponse& response) {
  const auto take_responses = [&](JsonElement json) -> Result<void> {
    TRY_INTO(const JsonArray array, json_list(json));
    for (const JsonElement element : array) {
      auto& item = response.items.emplace_back();
      if (!element.is_null()) TRY(take_members(element, into("Item", item)));
    }
    return {};
  };
  return take_members(input, into("Responses", take_responses), into("ConsumedCapacity", response.consumed_capacity));
}

Result<void> read_response_by_hand(JsonInput input, TransactWriteItemsResponse& response) {
  return take_members(input, into("ItemCollectionMetrics", response.item_collection_metrics),
                      into("ConsumedCapacity", response.consumed_capacity));
}

}  // namespace trestle
