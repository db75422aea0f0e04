// Computes the changes of a table's index entries that follow from the change of an item: entries to delete and entries
// to put. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/table.h"
#include "storage/store.h"

namespace trestle {

// An item's entry in an index: its key and the projected attributes.
struct IndexEntry {
  std::string key;
  Item item;
};
// Nothing if the item does not belong in the index. An empty `item` means that there is none.
std::optional<IndexEntry> index_entry(const TableDescription& table, const IndexDescription& index, ItemView item);

struct IndexChange {
  size_t index = 0;  // in TableDescription::indexes
  std::optional<std::string> erase;
  std::optional<IndexEntry> put;
  double write_units = 0;
  int64_t items_change = 0;
  int64_t bytes_change = 0;
};

// The changes in every index when `before` becomes `after`; either may be empty. Unchanged entries are omitted.
std::vector<IndexChange> index_delta(const TableDescription& table, ItemView before, ItemView after);

}  // namespace trestle
