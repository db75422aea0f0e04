// The catalog of tables: their descriptions, in memory and on disk, and the number of items in each.
//
// A reader takes an immutable version of a table (TableVersion) and uses it throughout. A writer must also hold the
// table open (open_for_write) until it has committed, so that a change of the table waits for every write based on the
// old version.
//
//   kCatalog keys: 't' name -> table_encoding     'k' -> next keyspace, u32 big endian
//                  'd' keyspace -> ""  (dropped, its range is being freed)
//                  'c' keyspace -> varint items, varint bytes (counts at the last clean close)
//                  'C' -> ""  (the last close was clean: the counts are right)
//                  'T' -> u64 big endian, ms: no history record has a later time, except those of the last second
//                  'b', 'R', 'h' are backups, restores and holds (storage/catalog/recovery_catalog.h)
//                  'L' are imports and bulk puts (storage/catalog/load_catalog.h)
//                  'x', 'X' are exports (storage/catalog/export_catalog.h)
//                  's', 'S' are streams (storage/catalog/stream_catalog.h); 'r' belongs to the store (storage/store.cc)
//
// Memory follows the disk, never the other way round:
// - A change is first committed, then made durable, then published to readers. A commit that fails changes nothing.
// - A commit that was written but could not be synced has an unknown outcome: it is in the log and in RocksDB's write
//   buffers, so it becomes durable when the store recovers, but it may be lost if the process restarts first. It is
//   published to readers anyway, so that memory and store agree, and its caller gets the error. Until the store has
//   recovered, check_certain() rejects requests on the table.
// - Dropped keyspaces are recorded in memory after the commit that drops them; they are freed after a sync.
// Thread-safe.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "base/writer_first_mutex.h"
#include "model/table.h"
#include "storage/catalog/recovery_catalog.h"
#include "storage/catalog/stream_catalog.h"
#include "storage/consumed_units.h"
#include "storage/lock_ranks.h"
#include "storage/store.h"

namespace trestle {

// The number of entries in a keyspace, their size by DynamoDB's rules, and the capacity that requests on it consumed.
struct KeyspaceCounts {
  std::atomic<int64_t> items{0};
  std::atomic<int64_t> bytes{0};
  ConsumedUnits consumed;  // since the start
  void add(int64_t item_change, int64_t byte_change) {
    if (item_change != 0) items.fetch_add(item_change, std::memory_order_relaxed);
    if (byte_change != 0) bytes.fetch_add(byte_change, std::memory_order_relaxed);
  }
};

// Shared by all versions of a table. Only one gate at a time is being acquired or held exclusively, because that
// requires Catalog::change_mutex_. So a thread that holds gates shared waits at most for one change, which waits for
// the holders of one gate only.
struct TableGate {
  WriterFirstMutex writers{kTableGateRank};  // shared by writes in progress, exclusive for a new version
  const void* current = nullptr;             // the newest TableVersion; guarded by writers
};

struct TableVersion {
  TableDescription description;
  // Shared with the other versions of the table.
  std::shared_ptr<TableGate> gate;
  std::shared_ptr<KeyspaceCounts> counts;
  std::vector<std::shared_ptr<KeyspaceCounts>> index_counts;   // in the order of description.indexes
  std::vector<std::shared_ptr<KeyspaceCounts>> vector_counts;  // in the order of description.vector_indexes
  // The stream of its change records; 0: the table has no enabled stream.
  uint32_t stream_id = 0;
  uint32_t stream_slots = 0;
  std::shared_ptr<StreamCounts> stream_counts;
};

// A table's newest version, which stays the newest for the lifetime of this object. A thread must not open a table
// twice: a change that begins between the two would wait for the first, and the second for the change.
class WritableTable {
 public:
  WritableTable(std::shared_ptr<const TableVersion> version, std::shared_lock<WriterFirstMutex> lock)
      : version_(std::move(version)), lock_(std::move(lock)) {}
  const TableVersion& operator*() const { return *version_; }
  const TableVersion* operator->() const { return version_.get(); }

 private:
  std::shared_ptr<const TableVersion> version_;
  std::shared_lock<WriterFirstMutex> lock_;
};

class Catalog {
 public:
  static Result<std::unique_ptr<Catalog>> load(Store& store,
                                               std::shared_ptr<const Clock> clock = std::make_shared<SystemClock>());

  // Null: no such table.
  std::shared_ptr<const TableVersion> find(std::string_view name) const;
  // Waits while the table is being changed or a change waits for writes in progress. A thread that must not wait
  // (storage/cached_reads.h) gets nothing instead, and has missed.
  std::optional<WritableTable> open_for_write(std::string_view name) const;
  std::vector<std::string> names() const;  // in order
  std::vector<std::shared_ptr<const TableVersion>> tables() const;

  // Whether any table or stream has a resource policy.
  bool has_policies() const { return policies_.load(std::memory_order_relaxed) + streams_.policies() != 0; }

  // Fails if the table (any table, if the name is empty) has a change of unknown outcome. Call it after find(), since
  // the change may be published between the two calls. Without such changes it costs one atomic load.
  Result<void> check_certain(std::string_view name = {}) const {
    if (!has_uncertain_.load(std::memory_order_relaxed)) [[likely]]
      return {};
    return find_uncertain(name);
  }

  // The calls below return when the change is durable. Keyspaces are assigned to the table and to every index that has
  // none.
  Result<std::shared_ptr<const TableVersion>> create(TableDescription table) { return create(std::move(table), {}); }
  // Creates a table together with the record of the job that fills it: put() adds the record to the batch of the table,
  // and publish() is called once the batch is written and the table is published, even if the outcome is unknown. So
  // there is never one without the other.
  struct FillingJob {
    std::function<void(Batch&)> put;
    std::function<void()> publish;
  };
  Result<std::shared_ptr<const TableVersion>> create(TableDescription table, const FillingJob& job);
  // Replaces a table by the result of `edit` on its newest description. Waits for writes that use the old version.
  // Keyspaces of removed indexes are dropped.
  using Edit = std::function<Result<TableDescription>(const TableDescription&)>;
  // `published`, if set, is called with both versions while no write is in progress, even if the outcome is unknown.
  using Published = std::function<void(const std::shared_ptr<const TableVersion>& before,
                                       const std::shared_ptr<const TableVersion>& after)>;
  Result<std::shared_ptr<const TableVersion>> change(const std::string& name, const Edit& edit,
                                                     const Published& published = {});
  // `decide`, if set, is called with the newest version; no other change can replace that version before remove()
  // returns. It may fail, which cancels the removal, or return a backup. A backup takes over the table's items, which
  // are otherwise dropped; remove() fills in its keyspace and counts.
  using Removal = std::function<Result<std::optional<Backup>>(const TableVersion&)>;
  Result<void> remove(const std::string& name, const Removal& decide = {});

  // ---- Recovery.

  const RecoveryCatalog& recovery() const { return recovery_; }
  // Holds the history of a table as of now, or as of an earlier time within the recorded history. If the table does not
  // record its history yet, it starts to. Writes in progress count as before the moment, later writes as after it.
  struct HoldRequest {
    std::string table_name;
    std::string table_id;  // must match the table's id; empty: any table of that name
    std::string owner;
    std::optional<int64_t> time_ms;
    // Begins the commit of the hold and returns the earliest time that a later change may have. Called while no write
    // of the table is in progress. One call does both, because a thread that has begun a commit must not wait for
    // another thread's commit.
    struct Moment {
      uint64_t commit = 0;
      int64_t time_ms = 0;
    };
    std::function<Moment()> begin_commit;
  };
  Result<HistoryHold> hold_history(const HoldRequest& request);
  // Releasing the last hold of a table stops the recording, unless the table has point in time recovery.
  Result<void> release_history(uint32_t hold);
  // add_backup() assigns a keyspace to a new backup; removing a backup drops its keyspace.
  Result<void> add_backup(Backup& backup);
  Result<void> remove_backup(const Backup& backup);
  // Corrects the counts of a backup, which are no longer pending. Does nothing if the backup has been removed.
  Result<void> correct_counts(const std::string& backup_arn, int64_t items, int64_t bytes);
  // Creates the table of a restore, together with the restore.
  Result<std::shared_ptr<const TableVersion>> create_restored(TableDescription table, const Restore& restore);
  Result<void> remove_restore(const Restore& restore);
  // Commits a job's copied items together with its cursor, and returns the commit, which need not be durable yet.
  // `job` is a Backup or a Restore.
  template <class Job>
  Result<uint64_t> save_progress(Job job, Batch& batch);

  // The time up to which history was written. It is stored, in case the clock is set back before a restart.
  Result<int64_t> load_history_time_ms() const;
  Result<void> save_history_time_ms(int64_t time_ms);

  // The streams of existing and deleted tables. Changing a table opens and closes its streams.
  const StreamCatalog& streams() const { return streams_; }
  // For edits that concern only streams. Serialized with each other and with changes of tables.
  Result<void> edit_streams(const std::function<Result<void>(StreamCatalog&)>& edit);

  // Dropped keyspaces whose ranges are still to be freed. Call forget_dropped() when one has been freed.
  std::vector<uint32_t> dropped() const;
  Result<void> forget_dropped(uint32_t keyspace);

  // Whether the loaded counts are exact. If not, the caller must recount.
  bool counts_are_right() const { return counts_are_right_; }
  // Call it at a clean close, after the last write.
  Result<void> save_counts();

 private:
  Catalog(Store& store, std::shared_ptr<const Clock> clock)
      : store_(store), clock_(std::move(clock)), streams_(store), recovery_(store) {}
  Result<void> load_tables();
  Result<void> open_missing_streams();
  Result<void> load_counts();
  // A batch, and the changes to publish to readers once it is written.
  struct Change {
    explicit Change(Store& store) : batch(store) {}
    Batch batch;
    std::vector<uint32_t> dropped;
    StreamCatalog::Plan streams;
  };
  // Commits, waits for durability, and publishes the dropped keyspaces and the streams. If commit() fails, nothing was
  // written. Otherwise the caller must publish the rest and return `durable`; if that is an error, the outcome is
  // unknown.
  struct Committed {
    Result<void> durable;
  };
  Result<Committed> commit(Change& change, std::string_view table_name) REQUIRES(change_mutex_);
  Result<Committed> commit(Change& change, std::string_view table_name, uint64_t number) REQUIRES(change_mutex_);
  void note_uncertain(std::string_view table_name, uint64_t number);
  Result<void> find_uncertain(std::string_view name) const;
  void publish(TableDescription table) REQUIRES(change_mutex_);
  void assign_keyspaces(TableDescription& table, Batch& batch) REQUIRES(change_mutex_);
  // Assigns a history keyspace to a table that must record its history, and removes it from a table that need not.
  void assign_history_keyspace(TableDescription& table, bool is_held, Change& change) REQUIRES(change_mutex_);
  void put_next_keyspace(Batch& batch) REQUIRES(change_mutex_);
  static void drop(uint32_t keyspace, Change& change);

  Store& store_;
  const std::shared_ptr<const Clock> clock_;  // shared with the engine
  StreamCatalog streams_;                     // edited under change_mutex_
  RecoveryCatalog recovery_;                  // edited under change_mutex_; a job's progress only by the job's thread
  bool counts_are_right_ = true;              // constant after load

  Mutex change_mutex_{kCatalogChangeRank};  // one change at a time
  uint32_t next_keyspace_ GUARDED_BY(change_mutex_) = 1;

  std::atomic<int> policies_{0};  // tables with a resource policy

  mutable std::atomic<bool> has_uncertain_{false};  // whether uncertain_ is not empty

  mutable SharedMutex tables_mutex_{kShortRank};  // guards the members below; never held while waiting
  std::map<std::string, std::shared_ptr<const TableVersion>, std::less<>> tables_;
  std::vector<uint32_t> dropped_;
  // Commits of unknown outcome, by the name of the table that they changed (empty: no particular table).
  mutable std::map<std::string, uint64_t, std::less<>> uncertain_;
};

template <class Job>
Result<uint64_t> Catalog::save_progress(Job job, Batch& batch) {
  RecoveryCatalog::put(job, batch);
  TRY_INTO(const uint64_t commit, store_.commit(batch));
  recovery_.publish(std::move(job));
  return commit;
}

}  // namespace trestle
