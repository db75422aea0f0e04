// The shapes shared by requests on items, and those of PutItem, GetItem, UpdateItem, DeleteItem, Query and Scan.
//
// The server parses these requests with handwritten code (protocol/shapes/by_hand.h), which enforces their constraints.
// The rules here are only what the generation of random values needs.
#pragma once

#include "model/item_requests.h"
#include "model/page_requests.h"
#include "model/shapes/item_enumerations.h"
#include "model/shapes/shape.h"

namespace trestle {

struct ItemRules : ShapeRules {
  template <class Request>
  static void return_consumed_capacity(auto& of) {
    of.member("ReturnConsumedCapacity", &Request::return_consumed_capacity, one_of(kReturnConsumedCapacities),
              omit_default);
  }
  template <class Request>
  static void return_item_collection_metrics(auto& of) {
    of.member("ReturnItemCollectionMetrics", &Request::return_item_collection_metrics,
              one_of(kReturnItemCollectionMetrics), omit_default);
  }
};

template <>
struct Shape<Placeholders> : ShapeRules {
  static void members(auto& of) {
    of.member("ExpressionAttributeNames", &Placeholders::names);
    of.member("ExpressionAttributeValues", &Placeholders::values);
  }
};

// ---- Expressions, and the legacy parameters that they replaced.

struct NewProjection : ShapeRules {
  static void members(auto& of) { of.member("ProjectionExpression", &ReadProjection::expression); }
};
struct LegacyProjection : ShapeRules {
  static void members(auto& of) { of.member("AttributesToGet", &ReadProjection::attributes_to_get); }
};
template <>
struct Shape<ReadProjection> : ShapeRules {
  static void members(auto& of) {
    NewProjection::members(of);
    LegacyProjection::members(of);
  }
};

template <>
struct Shape<LegacyCondition> : ShapeRules {
  static constexpr auto by_attribute = keyed_by(&LegacyCondition::attribute);
  static void members(auto& of) {
    using Of = LegacyCondition;
    of.member("ComparisonOperator", &Of::comparison, one_of(kComparisons));
    of.member("AttributeValueList", &Of::operands);
    of.member("Value", &Of::value);
    of.member("Exists", &Of::exists);
  }
};
template <>
struct Shape<LegacyUpdate> : ShapeRules {
  static void members(auto& of) {
    of.member("Action", &LegacyUpdate::action, one_of(kUpdateActions));
    of.member("Value", &LegacyUpdate::value);
  }
};

struct NewCondition : ShapeRules {
  static void members(auto& of) {
    of.member("ConditionExpression", &WriteCondition::expression);
    of.member("ReturnValuesOnConditionCheckFailure", &WriteCondition::return_item_on_failure,
              one_of(kReturnItemOnFailure), omit_default);
  }
};
template <>
struct Shape<WriteCondition> : ShapeRules {
  static void members(auto& of) {
    using Of = WriteCondition;
    NewCondition::members(of);
    of.member("Expected", &Of::expected, Shape<LegacyCondition>::by_attribute);
    of.member("ConditionalOperator", &Of::conditional_operator, one_of(kConditionalOperators));
  }
};

// ---- Writes.

template <class Of>
struct WriteItemRules : ItemRules {
  static void shared_members(auto& of) {
    of.member("TableName", &Of::table_name, table_name_or_arn);
    of.inlined(&Of::condition);
    of.inlined(&Of::placeholders);
    of.member("ReturnValues", &Of::return_values, one_of(kReturnValues), omit_default);
    return_consumed_capacity<Of>(of);
    return_item_collection_metrics<Of>(of);
  }
};
template <>
struct Shape<PutItemRequest> : WriteItemRules<PutItemRequest> {
  static void members(auto& of) {
    of.member("Item", &PutItemRequest::item);
    shared_members(of);
  }
};
template <>
struct Shape<DeleteItemRequest> : WriteItemRules<DeleteItemRequest> {
  static void members(auto& of) {
    of.member("Key", &DeleteItemRequest::key);
    shared_members(of);
  }
};
template <>
struct Shape<UpdateItemRequest> : WriteItemRules<UpdateItemRequest> {
  static void members(auto& of) {
    using Of = UpdateItemRequest;
    of.member("Key", &Of::key);
    of.member("UpdateExpression", &Of::update_expression);
    of.member("AttributeUpdates", &Of::attribute_updates, keyed_by(&LegacyUpdate::attribute));
    shared_members(of);
  }
};
template <>
struct Shape<WriteItemResponse> : ShapeRules {
  static void members(auto& of) {
    of.member("Attributes", &WriteItemResponse::attributes);
    of.member("ConsumedCapacity", &WriteItemResponse::consumed_capacity);
    of.member("ItemCollectionMetrics", &WriteItemResponse::item_collection_metrics);
  }
};

// ---- Reads.

template <>
struct Shape<GetItemRequest> : ItemRules {
  static void members(auto& of) {
    using Of = GetItemRequest;
    of.member("TableName", &Of::table_name, table_name_or_arn);
    of.member("Key", &Of::key);
    of.inlined(&Of::projection);
    of.member("ExpressionAttributeNames", &Of::names);
    of.member("ConsistentRead", &Of::consistent_read, omit_default);
    return_consumed_capacity<Of>(of);
  }
};
template <>
struct Shape<GetItemResponse> : ShapeRules {
  static void members(auto& of) {
    of.member("Item", &GetItemResponse::item);
    of.member("ConsumedCapacity", &GetItemResponse::consumed_capacity);
  }
};

struct PageRules : ItemRules {
  static void shared_members(auto& of, std::string_view filter_name) {
    using Of = PageRequest;
    of.member("TableName", &Of::table_name, table_name_or_arn);
    of.member("IndexName", &Of::index_name, name_pattern);
    of.member("Select", &Of::select, one_of(kSelects));
    of.inlined(&Of::projection);
    of.member("FilterExpression", &Of::filter_expression);
    of.member(filter_name, &Of::legacy_filter, Shape<LegacyCondition>::by_attribute);
    of.member("ConditionalOperator", &Of::conditional_operator, one_of(kConditionalOperators));
    of.inlined(&Of::placeholders);
    of.member("ExclusiveStartKey", &Of::exclusive_start_key);
    of.member("Limit", &Of::limit, at_least(1));
    of.member("ConsistentRead", &Of::consistent_read, omit_default);
    return_consumed_capacity<Of>(of);
  }
};
template <>
struct Shape<QueryRequest> : PageRules {
  static void members(auto& of) {
    using Of = QueryRequest;
    shared_members(of, "QueryFilter");
    of.member("KeyConditionExpression", &Of::key_condition_expression);
    of.member("KeyConditions", &Of::key_conditions, Shape<LegacyCondition>::by_attribute);
    of.member("ScanIndexForward", &Of::scan_index_forward, omit_default);
  }
};
template <>
struct Shape<ScanRequest> : PageRules {
  static void members(auto& of) {
    shared_members(of, "ScanFilter");
    of.member("Segment", &ScanRequest::segment);
    of.member("TotalSegments", &ScanRequest::total_segments);
  }
};
template <>
struct Shape<PageResponse> : ShapeRules {
  static void members(auto& of) {
    using Of = PageResponse;
    of.member("ConsumedCapacity", &Of::consumed_capacity);
    of.member("Count", &Of::count);
    of.alternative("Items", &Of::items_returned, true, &Of::items);
    of.member("LastEvaluatedKey", &Of::last_evaluated_key);
    of.member("ScannedCount", &Of::scanned_count);
  }
};

}  // namespace trestle
