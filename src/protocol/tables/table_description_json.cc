#include "protocol/tables/table_description_json.h"

#include "model/shapes/description_shapes.h"
#include "protocol/shapes/particular_values.h"
#include "protocol/shapes/shape_writer.h"

namespace trestle {
namespace {

void write_key_part(const std::vector<KeyAttribute>& part, std::string_view type, JsonOutput& json) {
  for (const auto& attribute : part) {
    json.begin_object();
    json.member("AttributeName", attribute.name);
    json.member("KeyType", type);
    json.end_object();
  }
}

void write_warm(const ThroughputLimits& limits, Status status, JsonOutput& json) {
  if (limits == ThroughputLimits{}) return;
  json.key("WarmThroughput").begin_object();
  write_shape<ThroughputLimits, WarmThroughputShape>(json, limits);
  json.member("Status", status == Status::kActive ? "ACTIVE" : "UPDATING");
  json.end_object();
}

void write_latest_stream(const TableDescription& table, JsonOutput& json) {
  if (table.stream_label.empty()) return;
  json.member("LatestStreamLabel", table.stream_label);
  json.member("LatestStreamArn", table.arn + "/stream/" + table.stream_label);
}

}  // namespace

std::string_view stream_view_type_name(StreamViewType type) { return choice_name(kStreamViewTypes, type); }

void write_key_schema_list(const KeySchema& key, JsonOutput& json) {
  json.begin_array();
  write_key_part(key.hash, "HASH", json);
  write_key_part(key.range, "RANGE", json);
  json.end_array();
}

void write_key_schema(const KeySchema& key, JsonOutput& json) { write_key_schema_list(key, json.key("KeySchema")); }

void write_sse_description(const SseSpecification& sse, JsonOutput& json) {
  if (sse.enabled.value_or(false)) write_member(json, "SSEDescription", sse, ShapeRules::as<SseDescription>);
}

void write_table_description(const TableDescription& table, JsonOutput& json) {
  using Rules = ShapeRules;
  const bool shows_keys = table.status != Status::kDeleting;
  const bool is_new = table.status == Status::kCreating;
  json.begin_object();
  if (shows_keys) write_member(json, "AttributeDefinitions", table.attributes, Rules::as<AttributeDescription>);
  json.member("TableName", table.name);
  if (shows_keys) write_key_schema(table.key, json);
  json.member("TableStatus", choice_name(kStatuses, table.status));
  if (shows_keys) json.key("CreationDateTime").timestamp_ms(table.created_ms);
  write_member(json, "ProvisionedThroughput", table, Rules::as<ThroughputDescription<TableDescription>>);
  json.member("TableSizeBytes", table.size_bytes);
  json.member("ItemCount", table.item_count);
  json.member("TableArn", table.arn);
  json.member("TableId", table.id);
  if (table.billing_summary && is_new) {
    write_member(json, "BillingModeSummary", table, Rules::as<NewBillingModeSummary>);
  } else if (table.billing_summary) {
    write_member(json, "BillingModeSummary", table, Rules::as<BillingModeSummary>);
  }
  if (shows_keys) {
    write_indexes("LocalSecondaryIndexes", false, table, json, [&](const IndexDescription& index) {
      write_shape<IndexDescription, LocalIndexDescriptionShape>(json, index);
    });
    write_indexes("GlobalSecondaryIndexes", true, table, json, [&](const IndexDescription& index) {
      write_shape<IndexDescription, GlobalIndexDescriptionShape>(json, index);
      if (!is_new) write_warm(index.warm, index.status, json);
    });
    if (!table.vector_indexes.empty()) write_member(json, "VectorIndexes", table.vector_indexes);
  }
  if (table.stream) write_member(json, "StreamSpecification", table, Rules::as<StreamDescriptionShape>);
  write_latest_stream(table, json);
  write_member(json, "RestoreSummary", table.restore);
  write_sse_description(table.sse, json);
  if (table.table_class) write_member(json, "TableClassSummary", table, Rules::as<TableClassSummary>);
  json.member("DeletionProtectionEnabled", table.deletion_protection);
  if (table.on_demand != ThroughputLimits{})
    write_member(json, "OnDemandThroughput", table.on_demand, Rules::as<OnDemandThroughputShape>);
  if (!is_new) write_warm(table.warm, Status::kActive, json);
  json.end_object();
}

}  // namespace trestle
