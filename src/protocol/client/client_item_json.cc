// PutItem, GetItem, UpdateItem, DeleteItem, Query and Scan in the client's direction.
#include "model/shapes/item_enumerations.h"
#include "protocol/client/client_input.h"
#include "protocol/client/client_json.h"
#include "protocol/client/client_output.h"

namespace trestle {
namespace {

// Members shared by the three writes. `Request` is one of them.
template <class Request>
void put_write_members(JsonOutput& json, const Request& request) {
  put(json, "TableName", request.table_name);
  put_condition(json, request.condition);
  put_placeholders(json, request.placeholders);
  if (request.return_values != ReturnValues::kNone) {
    put_choice(json, "ReturnValues", request.return_values, kReturnValues);
  }
  put_return_consumed_capacity(json, request.return_consumed_capacity);
  put_return_item_collection_metrics(json, request.return_item_collection_metrics);
}

void put_attribute_updates(JsonOutput& json, const std::vector<LegacyUpdate>& updates) {
  json.key("AttributeUpdates").begin_object();
  for (const LegacyUpdate& update : updates) {
    json.key_escaped(update.attribute).begin_object();
    put_choice(json, "Action", update.action, kUpdateActions);
    put(json, "Value", update.value);
    json.end_object();
  }
  json.end_object();
}

void put_page_members(JsonOutput& json, const PageRequest& request, std::string_view filter_name) {
  put(json, "TableName", request.table_name);
  put(json, "IndexName", request.index_name);
  put_choice(json, "Select", request.select, kSelects);
  put_projection(json, request.projection);
  put(json, "FilterExpression", request.filter_expression);
  put_conditions(json, filter_name, request.legacy_filter);
  put_choice(json, "ConditionalOperator", request.conditional_operator, kConditionalOperators);
  put_placeholders(json, request.placeholders);
  put(json, "ExclusiveStartKey", request.exclusive_start_key);
  put(json, "Limit", request.limit);
  put_flag(json, "ConsistentRead", request.consistent_read);
  put_return_consumed_capacity(json, request.return_consumed_capacity);
}

}  // namespace

void write_request_by_hand(const PutItemRequest& request, std::string& out) {
  JsonOutput json(out);
  json.begin_object();
  put(json, "Item", request.item);
  put_write_members(json, request);
  json.end_object();
}

void write_request_by_hand(const DeleteItemRequest& request, std::string& out) {
  JsonOutput json(out);
  json.begin_object();
  put(json, "Key", request.key);
  put_write_members(json, request);
  json.end_object();
}

void write_request_by_hand(const UpdateItemRequest& request, std::string& out) {
  JsonOutput json(out);
  json.begin_object();
  put(json, "Key", request.key);
  put(json, "UpdateExpression", request.update_expression);
  if (request.attribute_updates) put_attribute_updates(json, *request.attribute_updates);
  put_write_members(json, request);
  json.end_object();
}

void write_request_by_hand(const GetItemRequest& request, std::string& out) {
  JsonOutput json(out);
  json.begin_object();
  put(json, "TableName", request.table_name);
  put(json, "Key", request.key);
  put_projection(json, request.projection);
  put(json, "ExpressionAttributeNames", request.names);
  put_flag(json, "ConsistentRead", request.consistent_read);
  put_return_consumed_capacity(json, request.return_consumed_capacity);
  json.end_object();
}

void write_request_by_hand(const QueryRequest& request, std::string& out) {
  JsonOutput json(out);
  json.begin_object();
  put_page_members(json, request, "QueryFilter");
  put(json, "KeyConditionExpression", request.key_condition_expression);
  put_conditions(json, "KeyConditions", request.key_conditions);
  if (!request.scan_index_forward) put(json, "ScanIndexForward", false);
  json.end_object();
}

void write_request_by_hand(const ScanRequest& request, std::string& out) {
  JsonOutput json(out);
  json.begin_object();
  put_page_members(json, request, "ScanFilter");
  put(json, "Segment", request.segment);
  put(json, "TotalSegments", request.total_segments);
  json.end_object();
}

Result<void> read_response_by_hand(JsonInput input, WriteItemResponse& response) {
  return take_members(input, into("Attributes", response.attributes),
                      into("ConsumedCapacity", response.consumed_capacity),
                      into("ItemCollectionMetrics", response.item_collection_metrics));
}

Result<void> read_response_by_hand(JsonInput input, GetItemResponse& response) {
  return take_members(input, into("Item", response.item), into("ConsumedCapacity", response.consumed_capacity));
}

Result<void> read_response_by_hand(JsonInput input, PageResponse& response) {
  response.items_returned = false;
  const auto take_items = [&](JsonElement json) -> Result<void> {
    response.items_returned = true;
    return take(json, response.items);
  };
  return take_members(
      input, into("Items", take_items), into("Count", response.count), into("ScannedCount", response.scanned_count),
      into("LastEvaluatedKey", response.last_evaluated_key), into("ConsumedCapacity", response.consumed_capacity));
}

}  // namespace trestle
