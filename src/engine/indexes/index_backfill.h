// Backfills an index that was added to a table with items: a global index or a vector index. (A local index is created
// with its table, and is filled by the restore or import that fills the table.)
//
// From the moment the index is in the catalog, every write maintains it. The backfill then walks a snapshot of the
// table and, a few items at a time under the locks of these items, writes the entry of each current item unless there
// is one, so it never overwrites a newer entry. Then the index becomes ACTIVE. It can start over at any time: after a
// restart the index is still CREATING, and the backfill starts again.
//
// Nobody reads an index before it is ACTIVE, and the commit that makes it so is durable first: readers of other data
// need not wait for the entries (Batch::set_unread).
//
// An index is identified by its keyspace, which is never reused; its name may belong to another index meanwhile. A task
// of engine/jobs/background.h. Not thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/jobs/jobs.h"
#include "engine/jobs/unsynced_work.h"
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
  enum class Filled { kItems, kIndexIsGone, kFailed };
  // Writes the entries of the items of keys_.
  Filled fill(const JobRun& run);
  JobOutcome finish();

  EngineParts& parts_;
  const std::string table_name_;
  const std::string table_id_;
  const uint32_t table_keyspace_;
  const uint32_t keyspace_;         // of the index
  std::unique_ptr<Cursor> cursor_;  // null: at the beginning
  std::vector<std::string> keys_;   // of the items before the cursor that are not filled yet
  UnsyncedWork unsynced_;
};

// Fills the indexes of the table that are to be filled, in the background.
void start_backfill(EngineParts& parts, const TableVersion& table);

}  // namespace trestle
