#include "protocol/shapes/particular_values.h"

#include "protocol/json/attribute_value_json.h"
#include "protocol/tables/table_description_json.h"

namespace trestle {
namespace {

template <class T>
Result<void> take_noted(Result<Noted<T>> noted, T& out) {
  if (!noted.has_value()) return std::unexpected(std::move(noted).error());
  if (noted->fault) return serialization_failure(std::move(*noted->fault));
  out = std::move(noted->value);
  return {};
}

}  // namespace

void write_value(JsonOutput& json, const KeySchema& key) { write_key_schema_list(key, json); }
void write_value(JsonOutput& json, const TableDescription& table) { write_table_description(table, json); }

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
