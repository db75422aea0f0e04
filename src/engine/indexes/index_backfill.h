// Filling an index that was added to a table with items: a global index or a vector index. (A local one comes with its
// table, which is empty, or is filled by the restore or import that fills the table.)
//
// From the moment the index is in the catalog, every write maintains it. The backfill then walks a snapshot of the
// table and, item by item under the item's lock, writes the entry that the item has now unless there is one, so that it
// never overwrites a newer one. Then the index becomes ACTIVE. It can start over at any time: a restart finds the index
// still CREATING and does so.
//
// An index is known by its keyspace, which is never used again. Its name may be that of another one meanwhile.
// A task of engine/jobs/background.h: one thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "engine/jobs/jobs.h"
#include "storage/catalog/catalog.h"

namespace trestle {

class Engine;

class IndexBackfill {
 public:
  IndexBackfill(Engine& engine, const TableDescription& table, uint32_t index_keyspace);
  // Some items. idle(): the index is ACTIVE, or gone.
  JobOutcome step(JobRun& run);

 private:
  struct Place;
  // Where the index is in its table, if it is still to be filled.
  std::optional<Place> find(const TableVersion& table) const;
  bool is_to_fill() const;
  enum class Filled { kItem, kIndexIsGone, kFailed };
  Filled fill_item(const std::string& key);
  JobOutcome finish();

  Engine& engine_;
  const std::string table_name_;
  const std::string table_id_;
  const uint32_t table_keyspace_;
  const uint32_t keyspace_;         // of the index
  std::unique_ptr<Cursor> cursor_;  // null: at the beginning
};

}  // namespace trestle
