// The tables there are: their descriptions, in memory and on disk, and how many items each holds.
//
// A reader takes one immutable version of a table (TableVersion) and works with it to the end. A writer must hold the
// table open meanwhile (open_for_write), so that a change of indexes waits for every write that does not know of it.
//
//   kCatalog keys: 't' name -> table_encoding     'k' -> next keyspace, u32 big endian
//                  'd' keyspace -> ""  (dropped, its range is being freed)
//                  'c' keyspace -> varint items, varint bytes (counts at the last clean close)
//                  'C' -> ""  (the last close was clean: the counts are right)
//                  'r' is the store's own (storage/store.cc)
//
// Threads may share a Catalog.
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

#include "base/mutex.h"
#include "model/table.h"
#include "storage/store.h"

namespace trestle {

// How many entries a keyspace holds, and their size by DynamoDB's arithmetic.
struct KeyspaceCounts {
  std::atomic<int64_t> items{0};
  std::atomic<int64_t> bytes{0};
  void add(int64_t item_change, int64_t byte_change) {
    if (item_change != 0) items.fetch_add(item_change, std::memory_order_relaxed);
    if (byte_change != 0) bytes.fetch_add(byte_change, std::memory_order_relaxed);
  }
};

// Shared by all versions of one table.
struct TableGate {
  std::shared_mutex writers;  // shared by writes under way, exclusive for a new version
  const void* current = nullptr;  // the newest TableVersion; guarded by writers
};

struct TableVersion {
  TableDescription description;
  // Shared with the other versions of the table.
  std::shared_ptr<TableGate> gate;
  std::shared_ptr<KeyspaceCounts> counts;
  std::vector<std::shared_ptr<KeyspaceCounts>> index_counts;  // as description.indexes
};

// A table's newest version, which stays the newest as long as this lives.
class WritableTable {
 public:
  WritableTable(std::shared_ptr<const TableVersion> version, std::shared_lock<std::shared_mutex> lock)
      : version_(std::move(version)), lock_(std::move(lock)) {}
  const TableVersion& operator*() const { return *version_; }
  const TableVersion* operator->() const { return version_.get(); }

 private:
  std::shared_ptr<const TableVersion> version_;
  std::shared_lock<std::shared_mutex> lock_;
};

class Catalog {
 public:
  static Result<std::unique_ptr<Catalog>> load(Store& store);

  // Null: no such table.
  std::shared_ptr<const TableVersion> find(std::string_view name) const;
  std::optional<WritableTable> open_for_write(std::string_view name) const;
  std::vector<std::string> names() const;  // in order
  std::vector<std::shared_ptr<const TableVersion>> tables() const;

  // Each is durable when it returns. Keyspaces are assigned to the table and to every index that has none.
  Result<std::shared_ptr<const TableVersion>> create(TableDescription table);
  // Replaces a table by what `edit` makes of its newest description. Waits for writes that use the old version.
  // Keyspaces of indexes that are gone are dropped.
  using Edit = std::function<Result<TableDescription>(const TableDescription&)>;
  Result<std::shared_ptr<const TableVersion>> change(const std::string& name, const Edit& edit);
  Result<void> remove(const std::string& name);

  // Keyspaces whose ranges are still to be freed, and the word that one has been.
  std::vector<uint32_t> dropped() const;
  Result<void> forget_dropped(uint32_t keyspace);

  // Whether the counts loaded are right. If not, someone must count and add.
  bool counts_are_right() const { return counts_are_right_; }
  // At a clean close, after the last write.
  Result<void> save_counts();

 private:
  explicit Catalog(Store& store) : store_(store) {}
  Result<void> load_tables();
  Result<void> load_counts();
  void publish(TableDescription table) REQUIRES(change_mutex_);
  void assign_keyspaces(TableDescription& table, Batch& batch) REQUIRES(change_mutex_);
  void drop(uint32_t keyspace, Batch& batch) REQUIRES(change_mutex_);
  Result<void> commit(Batch& batch);

  Store& store_;
  bool counts_are_right_ = true;  // constant after load

  Mutex change_mutex_;  // one change at a time
  uint32_t next_keyspace_ GUARDED_BY(change_mutex_) = 1;

  mutable std::shared_mutex tables_mutex_;  // guards the two below; never held while waiting
  std::map<std::string, std::shared_ptr<const TableVersion>, std::less<>> tables_;
  std::vector<uint32_t> dropped_;
};

}  // namespace trestle
