#include "protocol/tables/table_description_json.h"

#include <algorithm>

#include "model/shapes/description_shapes.h"
#include "protocol/shapes/particular_values.h"
#include "protocol/shapes/shape_writer.h"

namespace trestle {
namespace {

void write_attribute_definitions(const TableDescription& table, JsonOutput& json) {
  json.key("AttributeDefinitions").begin_array();
  for (const auto& attribute : table.attributes) {
    json.begin_object();
    json.member("AttributeName", attribute.name);
    json.member("AttributeType", type_name(attribute.type));
    json.end_object();
  }
  json.end_array();
}

void write_key_part(const std::vector<KeyAttribute>& part, std::string_view type, JsonOutput& json) {
  for (const auto& attribute : part) {
    json.begin_object();
    json.member("AttributeName", attribute.name);
    json.member("KeyType", type);
    json.end_object();
  }
}

void write_timestamp(std::string_view name, int64_t ms, JsonOutput& json) {
  if (ms != 0) json.key(name).timestamp_ms(ms);
}

void write_warm(const ThroughputLimits& limits, Status status, JsonOutput& json) {
  if (limits == ThroughputLimits{}) return;
  json.key("WarmThroughput").begin_object();
  write_shape<ThroughputLimits, WarmThroughputShape>(json, limits);
  json.member("Status", status == Status::kActive ? "ACTIVE" : "UPDATING");
  json.end_object();
}

void write_index(const IndexDescription& index, bool with_warm_throughput, JsonOutput& json) {
  json.begin_object();
  if (index.global) {
    write_shape<IndexDescription, GlobalIndexDescriptionShape>(json, index);
    if (with_warm_throughput) write_warm(index.warm, index.status, json);
  } else {
    write_shape<IndexDescription, LocalIndexDescriptionShape>(json, index);
  }
  json.end_object();
}

void write_indexes(std::string_view name, bool global, const TableDescription& table, JsonOutput& json) {
  const auto is_kind = [&](const IndexDescription& index) { return index.global == global; };
  if (std::ranges::none_of(table.indexes, is_kind)) return;
  json.key(name).begin_array();
  for (const auto& index : table.indexes) {
    if (is_kind(index)) write_index(index, table.status != Status::kCreating, json);
  }
  json.end_array();
}

void write_billing(const TableDescription& table, JsonOutput& json) {
  if (!table.billing_summary) return;
  json.key("BillingModeSummary").begin_object();
  json.member("BillingMode", table.billing == BillingMode::kPayPerRequest ? "PAY_PER_REQUEST" : "PROVISIONED");
  if (table.status != Status::kCreating) {
    write_timestamp("LastUpdateToPayPerRequestDateTime", table.pay_per_request_since_ms, json);
  }
  json.end_object();
}

void write_stream(const TableDescription& table, JsonOutput& json) {
  if (table.stream) {
    json.key("StreamSpecification").begin_object();
    json.member("StreamEnabled", true);
    json.member("StreamViewType", stream_view_type_name(*table.stream));
    json.end_object();
  }
  if (table.stream_label.empty()) return;
  json.member("LatestStreamLabel", table.stream_label);
  json.member("LatestStreamArn", table.arn + "/stream/" + table.stream_label);
}

void write_sse(const TableDescription& table, JsonOutput& json) {
  if (!table.sse.enabled.value_or(false)) return;
  json.key("SSEDescription").begin_object();
  json.member("Status", "ENABLED");
  json.member("SSEType", table.sse.type);
  json.member("KMSMasterKeyArn", table.sse.key_id);
  json.end_object();
}

void write_restore(const TableDescription& table, JsonOutput& json) {
  if (!table.restore) return;
  json.key("RestoreSummary").begin_object();
  if (!table.restore->source_backup_arn.empty()) json.member("SourceBackupArn", table.restore->source_backup_arn);
  json.member("SourceTableArn", table.restore->source_table_arn);
  json.key("RestoreDateTime").timestamp_ms(table.restore->restore_ms);
  json.member("RestoreInProgress", true);
  json.end_object();
}

void write_table_class(const TableDescription& table, JsonOutput& json) {
  if (!table.table_class) return;
  json.key("TableClassSummary").begin_object();
  json.member("TableClass", *table.table_class == TableClass::kStandard ? "STANDARD" : "STANDARD_INFREQUENT_ACCESS");
  write_timestamp("LastUpdateDateTime", table.table_class_changed_ms, json);
  json.end_object();
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

void write_table_description(const TableDescription& table, JsonOutput& json) {
  const bool tells_keys = table.status != Status::kDeleting;
  json.begin_object();
  if (tells_keys) write_attribute_definitions(table, json);
  json.member("TableName", table.name);
  if (tells_keys) write_key_schema(table.key, json);
  json.member("TableStatus", choice_name(kStatuses, table.status));
  if (tells_keys) json.key("CreationDateTime").timestamp_ms(table.created_ms);
  write_member(json, "ProvisionedThroughput", table, ShapeRules::as<ThroughputDescription<TableDescription>>);
  json.member("TableSizeBytes", table.size_bytes);
  json.member("ItemCount", table.item_count);
  json.member("TableArn", table.arn);
  json.member("TableId", table.id);
  write_billing(table, json);
  if (tells_keys) {
    write_indexes("LocalSecondaryIndexes", false, table, json);
    write_indexes("GlobalSecondaryIndexes", true, table, json);
    if (!table.vector_indexes.empty()) write_member(json, "VectorIndexes", table.vector_indexes);
  }
  write_stream(table, json);
  write_restore(table, json);
  write_sse(table, json);
  write_table_class(table, json);
  json.member("DeletionProtectionEnabled", table.deletion_protection);
  if (table.on_demand != ThroughputLimits{})
    write_member(json, "OnDemandThroughput", table.on_demand, ShapeRules::as<OnDemandThroughputShape>);
  if (table.status != Status::kCreating) write_warm(table.warm, Status::kActive, json);
  json.end_object();
}

}  // namespace trestle
