// Filling an index that was added to a table with items.
//
// From the moment the index is in the catalog, every write maintains it. The backfill then walks the table and, item by
// item under the item's lock, writes the entry that the item has now, so that it never overwrites a newer one. It can
// start over at any time: a restart finds the index still CREATING and does so.
#include "engine/engine.h"
#include "engine/index_delta.h"

namespace trestle {

void Engine::start_backfill(const TableVersion& table) {
  if (table.description.status == Status::kCreating) return;  // a restore fills its indexes itself
  for (const IndexDescription& index : table.description.indexes) {
    if (!index.global || index.status != Status::kCreating) continue;
    background_.add([this, name = table.description.name, id = table.description.id, index_name = index.name] {
      backfill(name, id, index_name);
    });
  }
}

namespace {

// The index if it is still there and still to be filled.
const IndexDescription* index_to_fill(const TableVersion& table, const std::string& table_id,
                                      const std::string& index_name) {
  const IndexDescription* index = table.description.id == table_id ? table.description.index(index_name) : nullptr;
  return index != nullptr && index->status == Status::kCreating ? index : nullptr;
}

}  // namespace

// False: the backfill is over, because the index or the table is gone or the disk refuses.
bool Engine::backfill_item(const std::string& table_name, const std::string& table_id, const std::string& index_name,
                           const std::string& key) {
  const auto table = catalog_->open_for_write(table_name);
  const IndexDescription* index = table ? index_to_fill(**table, table_id, index_name) : nullptr;
  if (index == nullptr) return false;
  const auto lock = locks_.lock(key);
  PinnedBytes bytes;
  const auto found = store_->get(Space::kItems, key, bytes);
  if (!found.has_value()) return false;
  if (!*found) return true;
  const auto entry = index_entry((*table)->description, *index, ItemView(bytes.view()));
  if (!entry) return true;
  PinnedBytes present;
  const auto has = store_->get(Space::kItems, entry->key, present);
  if (!has.has_value()) return false;
  if (*has) return true;  // a write, or an earlier attempt, was here first
  Batch batch(*store_);
  batch.put(Space::kItems, entry->key, entry->item.bytes());
  if (!store_->commit(batch).has_value()) return false;
  const size_t position = static_cast<size_t>(index - (*table)->description.indexes.data());
  (*table)->index_counts[position]->add(1, static_cast<int64_t>(entry->item.size_bytes()));
  return true;
}

void Engine::backfill(const std::string& table_name, const std::string& table_id, const std::string& index_name) {
  const auto table = catalog_->find(table_name);
  if (!table || index_to_fill(*table, table_id, index_name) == nullptr) return;
  auto cursor = store_->cursor(
      Space::kItems, {.range = keyspace_range(table->description.keyspace), .fill_cache = false}, store_->snapshot());
  for (; cursor->valid(); cursor->next()) {
    if (background_.stopping()) return;
    if (!backfill_item(table_name, table_id, index_name, std::string(cursor->key()))) return;
  }
  if (!cursor->status().has_value()) return;
  finish_backfill(table_name, table_id, index_name);
}

void Engine::finish_backfill(const std::string& table_name, const std::string& table_id,
                             const std::string& index_name) {
  // Should this fail, the next start finds the index still CREATING and fills it again.
  (void)catalog_->change(table_name, [&](TableDescription changed) -> Result<TableDescription> {
    for (IndexDescription& index : changed.indexes) {
      if (changed.id != table_id || index.name != index_name) continue;
      index.status = Status::kActive;
      index.backfilling = false;
    }
    return changed;
  });
}

}  // namespace trestle
