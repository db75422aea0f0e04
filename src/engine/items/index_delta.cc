#include "engine/items/index_delta.h"

#include <algorithm>

#include "engine/items/capacity.h"
#include "engine/items/item_key.h"

namespace trestle {
namespace {

bool is_projected(const TableDescription& table, const IndexDescription& index, std::string_view name) {
  if (index.projection.type == ProjectionType::kAll) return true;
  if (index.key.contains(name) || table.key.contains(name)) return true;
  const auto& names = index.projection.non_key_attributes;
  return index.projection.type == ProjectionType::kInclude &&
         std::find(names.begin(), names.end(), name) != names.end();
}

Item project(const TableDescription& table, const IndexDescription& index, ItemView item) {
  if (index.projection.type == ProjectionType::kAll) return Item(item);
  std::vector<Field> fields;
  for (const Field& field : item.attributes()) {
    if (is_projected(table, index, field.name)) fields.push_back(field);
  }
  return Item(std::move(fields));
}

int64_t signed_size(const std::optional<IndexEntry>& entry) {
  return entry ? static_cast<int64_t>(entry->item.size_bytes()) : 0;
}

}  // namespace

std::optional<IndexEntry> index_entry(const TableDescription& table, const IndexDescription& index, ItemView item) {
  if (item.empty() || !belongs_in_index(index.key, item)) return std::nullopt;
  auto key = encode_index_key(index.keyspace, index.key, table.key, item);
  if (!key) return std::nullopt;
  return IndexEntry{std::move(*key), project(table, index, item)};
}

std::vector<IndexChange> index_delta(const TableDescription& table, ItemView before, ItemView after) {
  std::vector<IndexChange> changes;
  for (size_t i = 0; i < table.indexes.size(); ++i) {
    const IndexDescription& index = table.indexes[i];
    auto old_entry = index_entry(table, index, before);
    auto new_entry = index_entry(table, index, after);
    if (!old_entry && !new_entry) continue;
    IndexChange change{.index = i};
    if (old_entry && new_entry && old_entry->key == new_entry->key) {
      if (old_entry->item == new_entry->item) continue;
      change.write_units = write_units(std::max(old_entry->item.size_bytes(), new_entry->item.size_bytes()));
    } else {
      if (old_entry) {
        change.write_units += write_units(old_entry->item.size_bytes());
        change.erase = old_entry->key;
      }
      if (new_entry) change.write_units += write_units(new_entry->item.size_bytes());
    }
    change.items_change = (new_entry ? 1 : 0) - (old_entry ? 1 : 0);
    change.bytes_change = signed_size(new_entry) - signed_size(old_entry);
    change.put = std::move(new_entry);
    changes.push_back(std::move(change));
  }
  return changes;
}

}  // namespace trestle
