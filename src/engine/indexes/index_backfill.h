// Backfills an index that was added to a table with items: a global index or a vector index. (A local index is created
// with its table, and is filled by the restore or import that fills the table.)
//
// Once the index is in the catalog, every write maintains it. The backfill then walks a snapshot of the table, a few
// items at a time. Under the locks of these items, it reads their current versions and writes their missing entries; it
// never overwrites an entry. At the end the index becomes ACTIVE. The backfill can start over at any time: after a
// restart the index is still CREATING, and the backfill begins again.
//
// No request reads an index before it is ACTIVE, and the commit that makes it ACTIVE is durable before that. Therefore
// readers of other data need not wait for the entries to become durable (Batch::set_unread).
//
// An index is identified by its keyspace, which is never reused, because another index may take over its name. A task
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
  // Processes some items. Returns idle() when the index is ACTIVE, or deleted.
  JobOutcome step(JobRun& run);

 private:
  struct Place;
  // The position of the index in its table, if it still needs a backfill.
  std::optional<Place> find(const TableVersion& table) const;
  bool needs_backfill() const;
  enum class FillOutcome { kItems, kIndexIsGone, kFailed };
  // Writes the entries of the items of keys_.
  FillOutcome fill(const JobRun& run);
  JobOutcome finish();

  EngineParts& parts_;
  const std::string table_name_;
  const std::string table_id_;
  const uint32_t table_keyspace_;
  const uint32_t keyspace_;         // of the index
  std::unique_ptr<Cursor> cursor_;  // null: at the beginning
  std::vector<std::string> keys_;   // of items before the cursor whose entries are not written yet
  UnsyncedWork unsynced_;
};

// Starts background tasks for all indexes of the table that need a backfill.
void start_backfill(EngineParts& parts, const TableVersion& table);

}  // namespace trestle
