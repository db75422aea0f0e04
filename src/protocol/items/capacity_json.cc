#include "protocol/items/capacity_json.h"

#include "protocol/json/attribute_value_json.h"

namespace trestle {
namespace {

// The members with units. Only a transaction has separate members for each kind.
void write_unit_members(double units, CapacityKind kind, JsonOutput& json) {
  json.member("CapacityUnits", units);
  if (kind == CapacityKind::kTransactionRead) json.member("ReadCapacityUnits", units);
  if (kind == CapacityKind::kTransactionWrite) json.member("WriteCapacityUnits", units);
}

void write_units(double units, CapacityKind kind, JsonOutput& json) {
  json.begin_object();
  write_unit_members(units, kind, json);
  json.end_object();
}

void write_index_units(std::string_view key, const std::vector<std::pair<std::string, double>>& indexes,
                       CapacityKind kind, JsonOutput& json) {
  if (indexes.empty()) return;
  json.key(key).begin_object();
  for (const auto& [name, units] : indexes) {
    json.key_escaped(name);
    write_units(units, kind, json);
  }
  json.end_object();
}

// The bytes that writes have put into vector indexes.
void write_vector_bytes(const std::vector<std::pair<std::string, double>>& indexes, JsonOutput& json) {
  if (indexes.empty()) return;
  json.key("VectorIndexes").begin_object();
  for (const auto& [name, bytes] : indexes) {
    json.key_escaped(name);
    json.begin_object();
    json.member("VectorWriteRequestBytes", bytes);
    json.end_object();
  }
  json.end_object();
}

}  // namespace

void write_consumed_capacity_object(const ConsumedCapacity& capacity, JsonOutput& json) {
  json.begin_object();
  write_unit_members(capacity.total, capacity.kind, json);
  if (capacity.detail == ReturnConsumedCapacity::kIndexes) {
    write_index_units("GlobalSecondaryIndexes", capacity.global_indexes, capacity.kind, json);
    write_index_units("LocalSecondaryIndexes", capacity.local_indexes, capacity.kind, json);
    json.key("Table");
    write_units(capacity.table, capacity.kind, json);
    write_vector_bytes(capacity.vector_indexes, json);
  }
  json.member("TableName", capacity.table_name);
  json.end_object();
}

void write_consumed_capacities(const std::vector<ConsumedCapacity>& capacities, JsonOutput& json) {
  if (capacities.empty()) return;
  json.key("ConsumedCapacity").begin_array();
  for (const ConsumedCapacity& capacity : capacities) write_consumed_capacity_object(capacity, json);
  json.end_array();
}

void write_item_collection_metrics_object(const ItemCollectionMetrics& metrics, JsonOutput& json) {
  json.begin_object();
  json.key("ItemCollectionKey");
  append_item_json(json.text(), metrics.collection_key);
  json.key("SizeEstimateRangeGB").begin_array();
  json.decimal(metrics.size_gb_low);
  json.decimal(metrics.size_gb_high);
  json.end_array();
  json.end_object();
}

void write_consumed_capacity(const std::optional<ConsumedCapacity>& capacity, JsonOutput& json) {
  if (!capacity) return;
  json.key("ConsumedCapacity");
  write_consumed_capacity_object(*capacity, json);
}

void write_item_collection_metrics(const std::optional<ItemCollectionMetrics>& metrics, JsonOutput& json) {
  if (!metrics) return;
  json.key("ItemCollectionMetrics");
  write_item_collection_metrics_object(*metrics, json);
}

}  // namespace trestle
