#include "protocol/tables/table_description_json.h"

#include <algorithm>

#include "model/shapes/table_enumerations.h"

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

void write_projection(const Projection& projection, JsonOutput& json) {
  json.key("Projection").begin_object();
  json.member("ProjectionType", choice_name(kProjectionTypes, projection.type));
  if (projection.type == ProjectionType::kInclude) {
    json.key("NonKeyAttributes").begin_array();
    for (const auto& name : projection.non_key_attributes) json.string(name);
    json.end_array();
  }
  json.end_object();
}

void write_timestamp(std::string_view name, int64_t ms, JsonOutput& json) {
  if (ms != 0) json.key(name).timestamp_ms(ms);
}

void write_on_demand(const ThroughputLimits& limits, JsonOutput& json) {
  if (limits == ThroughputLimits{}) return;
  json.key("OnDemandThroughput").begin_object();
  if (limits.read_units) json.member("MaxReadRequestUnits", *limits.read_units);
  if (limits.write_units) json.member("MaxWriteRequestUnits", *limits.write_units);
  json.end_object();
}

void write_warm(const ThroughputLimits& limits, Status status, JsonOutput& json) {
  if (limits == ThroughputLimits{}) return;
  json.key("WarmThroughput").begin_object();
  if (limits.read_units) json.member("ReadUnitsPerSecond", *limits.read_units);
  if (limits.write_units) json.member("WriteUnitsPerSecond", *limits.write_units);
  json.member("Status", status == Status::kActive ? "ACTIVE" : "UPDATING");
  json.end_object();
}

// `Of` is a table or a global index.
template <class Of>
void write_throughput(const Of& of, JsonOutput& json) {
  json.key("ProvisionedThroughput").begin_object();
  write_timestamp("LastIncreaseDateTime", of.throughput_increased_ms, json);
  write_timestamp("LastDecreaseDateTime", of.throughput_decreased_ms, json);
  json.member("NumberOfDecreasesToday", of.throughput_decreases_today);
  json.member("ReadCapacityUnits", of.throughput.read_units);
  json.member("WriteCapacityUnits", of.throughput.write_units);
  json.end_object();
}

void write_index(const IndexDescription& index, bool with_warm_throughput, JsonOutput& json) {
  json.begin_object();
  json.member("IndexName", index.name);
  write_key_schema(index.key, json);
  write_projection(index.projection, json);
  if (index.global) {
    json.member("IndexStatus", choice_name(kStatuses, index.status));
    if (index.backfilling) json.member("Backfilling", true);
    write_throughput(index, json);
  }
  json.member("IndexSizeBytes", index.size_bytes);
  json.member("ItemCount", index.item_count);
  json.member("IndexArn", index.arn);
  if (index.global) {
    write_on_demand(index.on_demand, json);
    if (with_warm_throughput) write_warm(index.warm, index.status, json);
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

// Writes the definition of an index, without its state.
void write_vector_index_definition(const VectorIndexDescription& index, JsonOutput& json) {
  json.member("IndexName", index.name);
  json.key("VectorAttribute").begin_object();
  json.member("AttributeName", index.vector_attribute);
  json.end_object();
  if (!index.search_schema.empty()) {
    json.key("SearchSchema").begin_array();
    for (const SearchAttribute& element : index.search_schema) {
      json.begin_object();
      json.member("AttributeName", element.attribute.name);
      json.member("SearchSchemaElementType", choice_name(kSearchElementTypes, element.is_hash));
      json.end_object();
    }
    json.end_array();
  }
  json.key("Projection").begin_object();
  json.member("ProjectionType", choice_name(kProjectionTypes, index.projection.type));
  if (index.projection.type == ProjectionType::kInclude) {
    json.key("NonKeyAttributes").begin_array();
    for (const auto& name : index.projection.non_key_attributes) json.string(name);
    json.end_array();
  }
  json.end_object();
  json.member("Dimensions", index.dimensions);
  json.member("DistanceFunction", choice_name(kDistanceFunctions, index.distance));
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

void write_vector_index_descriptions(const TableDescription& table, JsonOutput& json) {
  if (table.vector_indexes.empty()) return;
  json.key("VectorIndexes").begin_array();
  for (const VectorIndexDescription& index : table.vector_indexes) {
    json.begin_object();
    write_vector_index_definition(index, json);
    json.member("IndexStatus", choice_name(kStatuses, index.status));
    if (index.backfilling) json.member("Backfilling", *index.backfilling);
    json.member("IndexSizeBytes", index.size_bytes);
    json.member("ItemCount", index.item_count);
    json.member("IndexArn", index.arn);
    json.end_object();
  }
  json.end_array();
}

void write_vector_index_infos(const TableDescription& table, JsonOutput& json) {
  if (table.vector_indexes.empty()) return;
  json.key("VectorIndexes").begin_array();
  for (const VectorIndexDescription& index : table.vector_indexes) {
    json.begin_object();
    write_vector_index_definition(index, json);
    json.end_object();
  }
  json.end_array();
}

void write_table_description(const TableDescription& table, JsonOutput& json) {
  const bool tells_keys = table.status != Status::kDeleting;
  json.begin_object();
  if (tells_keys) write_attribute_definitions(table, json);
  json.member("TableName", table.name);
  if (tells_keys) write_key_schema(table.key, json);
  json.member("TableStatus", choice_name(kStatuses, table.status));
  if (tells_keys) json.key("CreationDateTime").timestamp_ms(table.created_ms);
  write_throughput(table, json);
  json.member("TableSizeBytes", table.size_bytes);
  json.member("ItemCount", table.item_count);
  json.member("TableArn", table.arn);
  json.member("TableId", table.id);
  write_billing(table, json);
  if (tells_keys) {
    write_indexes("LocalSecondaryIndexes", false, table, json);
    write_indexes("GlobalSecondaryIndexes", true, table, json);
    write_vector_index_descriptions(table, json);
  }
  write_stream(table, json);
  write_restore(table, json);
  write_sse(table, json);
  write_table_class(table, json);
  json.member("DeletionProtectionEnabled", table.deletion_protection);
  write_on_demand(table.on_demand, json);
  if (table.status != Status::kCreating) write_warm(table.warm, Status::kActive, json);
  json.end_object();
}

}  // namespace trestle
