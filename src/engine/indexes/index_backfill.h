// Backfills an index that was added to a table with items: a global index or a vector index. (A local index is created
// with its table, and is filled by the restore or import that fills the table.)
//
// From the moment the index is in the catalog, every write maintains it. The backfill then walks a snapshot of the
// table and, item by item under the item's lock, writes the entry of the current item unless there is one, so it never
// overwrites a newer entry. Then the index becomes ACTIVE. It can start over at any time: after a restart the index is
// still CREATING, and the backfill starts again.
//
// An index is identified by its keyspace, which is never reused; its name may belong to another index meanwhile. A task
// of engine/jobs/background.h. Not thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "engine/jobs/jobs.h"
#include "storage/catalog/catalog.h"

namespace trestle {

struct EngineParts;

class IndexBackfill {
 public:
  IndexBackfill(EngineParts& parts, const TableDescription& table, uint32_t index_keyspace);
  // Handles some items. idle(): the index is ACTIVE, or deleted.
  JobOutcome step(JobRun& run);

 private:
  struct Place;
  // The position of the index in its table, if it still needs a backfill.
  std::optional<Place> find(const TableVersion& table) const;
  bool is_to_fill() const;
  enum class Filled { kItem, kIndexIsGone, kFailed };
  Filled fill_item(const std::string& key);
  JobOutcome finish();

  EngineParts& parts_;
  const std::string table_name_;
  const std::string table_id_;
  const uint32_t table_keyspace_;
  const uint32_t keyspace_;         // of the index
  std::unique_ptr<Cursor> cursor_;  // null: at the beginning
};

// Fills the indexes of the table that are to be filled, in the background.
void start_backfill(EngineParts& parts, const TableVersion& table);

}  // namespace trestle
