#include "protocol/shapes/particular_values.h"

#include "protocol/client/client_input.h"
#include "protocol/json/attribute_value_json.h"
#include "protocol/tables/table_description_json.h"

namespace trestle {
namespace {

using IndexBytes = std::vector<std::pair<std::string, int64_t>>;

template <class T>
Result<void> take_noted(Result<Noted<T>> noted, T& out) {
  if (!noted.has_value()) return std::unexpected(std::move(noted).error());
  if (noted->fault) return serialization_failure(std::move(*noted->fault));
  out = std::move(noted->value);
  return {};
}

// {"BulkPutBytes": 1024}
Result<void> take_put_bytes(JsonElement json, int64_t& bytes) {
  return take_members(json, into("BulkPutBytes", bytes));
}

auto into_index_bytes(std::string_view name, IndexBytes& out) {
  return into(name, [&out](JsonElement json) -> Result<void> {
    TRY_INTO(const JsonInput map, json_map(json, "java.lang.Object"));
    for (const JsonMember member : map) {
      TRY(take_put_bytes(member.value, out.emplace_back(member.name, 0).second));
    }
    return {};
  });
}

void write_index_bytes(std::string_view name, const IndexBytes& indexes, JsonOutput& json) {
  if (indexes.empty()) return;
  json.key(name).begin_object();
  for (const auto& [index, bytes] : indexes) {
    json.key_escaped(index).begin_object();
    json.member("BulkPutBytes", bytes);
    json.end_object();
  }
  json.end_object();
}

}  // namespace

void write_value(JsonOutput& json, const KeySchema& key) { write_key_schema_list(key, json); }
void write_value(JsonOutput& json, const TableDescription& table) { write_table_description(table, json); }

Result<void> read_value(JsonElement json, BulkUsage& usage, JsonPlace) {
  TRY_INTO(const JsonArray array, json_list(json));
  for (const JsonElement element : array) {
    const auto take_table = [&](JsonElement table) { return take_put_bytes(table, usage.table_bytes); };
    TRY(take_members(element, into("TableName", usage.table_name), into("Table", take_table),
                     into_index_bytes("LocalSecondaryIndexes", usage.local_indexes),
                     into_index_bytes("GlobalSecondaryIndexes", usage.global_indexes)));
  }
  return {};
}

void write_value(JsonOutput& json, const BulkUsage& usage) {
  int64_t total = usage.table_bytes;
  for (const auto* indexes : {&usage.local_indexes, &usage.global_indexes}) {
    for (const auto& [index, bytes] : *indexes) total += bytes;
  }
  json.begin_array();
  json.begin_object();
  json.member("TableName", usage.table_name);
  json.member("BulkPutBytes", total);
  json.key("Table").begin_object();
  json.member("BulkPutBytes", usage.table_bytes);
  json.end_object();
  write_index_bytes("LocalSecondaryIndexes", usage.local_indexes, json);
  write_index_bytes("GlobalSecondaryIndexes", usage.global_indexes, json);
  json.end_object();
  json.end_array();
}

Result<void> read_value(JsonElement json, Value& value, JsonPlace) {
  return take_noted(ValueReader(ValueWording::kOlder).value(json, JsonPlace::kElement), value);
}
void write_value(JsonOutput& json, const Value& value) {
  json.separate();
  append_value_json(json.text(), value);
}

Result<void> read_value(JsonElement json, Item& item, JsonPlace) {
  return take_noted(ValueReader(ValueWording::kOlder).item_element(json), item);
}
void write_value(JsonOutput& json, const Item& item) {
  json.separate();
  append_item_json(json.text(), item);
}

Result<void> read_value(JsonElement json, ItemList& items, JsonPlace place) {
  TRY_INTO(const JsonArray array, json_list(json));
  Item item;
  for (const JsonElement element : array) {
    TRY(read_value(element, item, place));
    items.add(item);
  }
  return {};
}
void write_value(JsonOutput& json, const ItemList& items) {
  json.begin_array();
  for (size_t i = 0; i < items.size(); ++i) {
    json.separate();
    append_item_json(json.text(), items[i]);
  }
  json.end_array();
}

}  // namespace trestle
