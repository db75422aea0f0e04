// ConsumedCapacity and ItemCollectionMetrics in responses.
#include "protocol/client/client_input.h"
#include "protocol/shapes/particular_values.h"

namespace trestle {
namespace {

using IndexFigures = std::vector<std::pair<std::string, double>>;

// Writes the capacity units. Only transactions have separate members for reads and writes.
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

void write_index_units(std::string_view key, const IndexFigures& indexes, CapacityKind kind, JsonOutput& json) {
  if (indexes.empty()) return;
  json.key(key).begin_object();
  for (const auto& [name, units] : indexes) {
    json.key_escaped(name);
    write_units(units, kind, json);
  }
  json.end_object();
}

// Writes the bytes that writes have put into vector indexes.
void write_vector_bytes(const IndexFigures& indexes, JsonOutput& json) {
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

void write_value(JsonOutput& json, const ConsumedCapacity& capacity) {
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

Result<void> read_value(JsonElement json, ConsumedCapacity& capacity, JsonPlace) {
  const auto of_kind = [&](CapacityKind kind) {
    return [&capacity, kind](JsonElement) -> Result<void> {
      capacity.kind = kind;
      return {};
    };
  };
  // Reads a member that is only present with INDEXES.
  const auto detailed = [&](std::string_view figure, double& units) {
    return [&capacity, &units, figure](JsonElement element) {
      capacity.detail = ReturnConsumedCapacity::kIndexes;
      return take_members(element, into(figure, units));
    };
  };
  const auto indexes = [&](std::string_view figure, IndexFigures& out) {
    return [&, figure](JsonElement element) -> Result<void> {
      capacity.detail = ReturnConsumedCapacity::kIndexes;
      TRY_INTO(const JsonInput map, json_map(element, "Capacity"));
      for (const JsonMember member : map) {
        TRY(detailed(figure, out.emplace_back(member.name, 0).second)(member.value));
      }
      return {};
    };
  };
  return take_members(json, into("TableName", capacity.table_name), into("CapacityUnits", capacity.total),
                      into("ReadCapacityUnits", of_kind(CapacityKind::kTransactionRead)),
                      into("WriteCapacityUnits", of_kind(CapacityKind::kTransactionWrite)),
                      into("Table", detailed("CapacityUnits", capacity.table)),
                      into("LocalSecondaryIndexes", indexes("CapacityUnits", capacity.local_indexes)),
                      into("GlobalSecondaryIndexes", indexes("CapacityUnits", capacity.global_indexes)),
                      into("VectorIndexes", indexes("VectorWriteRequestBytes", capacity.vector_indexes)));
}

void write_value(JsonOutput& json, const ItemCollectionMetrics& metrics) {
  json.begin_object();
  json.key("ItemCollectionKey");
  write_value(json, metrics.collection_key);
  json.key("SizeEstimateRangeGB").begin_array();
  json.decimal(metrics.size_gb_low);
  json.decimal(metrics.size_gb_high);
  json.end_array();
  json.end_object();
}

Result<void> read_value(JsonElement json, ItemCollectionMetrics& metrics, JsonPlace) {
  std::vector<double> range;
  TRY(take_members(json, into("ItemCollectionKey", metrics.collection_key), into("SizeEstimateRangeGB", range)));
  if (range.size() == 2) {
    metrics.size_gb_low = range[0];
    metrics.size_gb_high = range[1];
  }
  return {};
}

}  // namespace trestle
