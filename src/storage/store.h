// The store: ordered keys and values on disk, in RocksDB. Apart from tests, only src/storage includes RocksDB's
// headers.
//
// Invariants:
// - commit() applies a batch atomically; it is visible to all readers when commit() returns.
// - A commit has a number. Once durable_commit() has reached it, the commit survives kill -9 and power loss. One thread
//   does all syncs: many commits share one sync, and no lock is held across it.
// - A response must not be sent before the commits it depends on are durable. A writer depends on its own commit. A
//   reader may have seen a commit that is not durable yet: commit_seen() returns, by partition, the newest such commit.
// - When the disk rejects a write or a sync, that commit and every later one fail until the store has recovered, which
//   it does by itself. Durable commits stay durable.
// Thread-safe.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "model/error.h"
#include "storage/key_encoding.h"

namespace rocksdb {
class FileSystem;
}

namespace trestle {

enum class Durability {
  kSync,     // an acknowledged write survives power loss
  kRelaxed,  // it survives the end of the process, but power loss only after the system has written its caches
};

struct StoreOptions {
  std::string folder;
  bool in_memory = false;
  Durability durability = Durability::kSync;
  size_t cache_bytes = size_t{256} << 20;
  // For tests: a file system that fails on demand. Null: the operating system's. Shared, so that the test can control
  // it.
  std::shared_ptr<rocksdb::FileSystem> file_system;
};

// The parts of the store. Each is a separate key range; a batch may write to several.
enum class Space : uint8_t {
  kCatalog,  // storage/catalog/catalog.h
  kItems,    // items and index entries, by storage/key_encoding.h
  kStreams,  // change records
  kExpiry,   // items by the time they expire
  kTokens,   // idempotency tokens of transactions
  kHistory,  // states of items before their changes: storage/history_record.h
};
inline constexpr size_t kSpaces = 6;

class Store;

// Changes to be committed together.
class Batch {
 public:
  explicit Batch(const Store& store);
  Batch(Batch&&) noexcept;
  Batch& operator=(Batch&&) noexcept;
  ~Batch();
  // A put or an erase in kItems marks the partition as changed, for commit_seen(). After set_unread() it does not. Call
  // that if no request can read the following writes until a later commit makes them readable and is durable.
  void set_unread();
  void put(Space space, std::string_view key, std::string_view value);
  void erase(Space space, std::string_view key);
  void erase_range(Space space, const KeyRange& range);
  bool empty() const;
  size_t size_bytes() const;

 private:
  friend class Store;
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// The store as it was at one moment.
class Snapshot {
 public:
  virtual ~Snapshot() = default;
};

// Walks the keys of a range, in either direction, within a snapshot.
class Cursor {
 public:
  virtual ~Cursor() = default;
  virtual bool valid() const = 0;
  virtual void next() = 0;  // towards the end, or for a backward cursor towards the beginning
  // Moves to the first key of the range that is not less than `key`. Not for a backward cursor.
  virtual void seek(std::string_view key) = 0;
  virtual std::string_view key() const = 0;
  virtual std::string_view value() const = 0;
  // Call it after valid() has returned false: OK if the cursor is at the end of the range, otherwise the read error.
  virtual Result<void> status() const = 0;
};

struct CursorOptions {
  KeyRange range;
  bool backward = false;
  // Start strictly after this key (strictly before it if backward). Empty: start at the edge of the range.
  std::string after;
  // False for long scans, which would displace other data from the cache.
  bool fill_cache = true;
};

// A value read without a copy; valid until this is destroyed or read into again.
class PinnedBytes {
 public:
  PinnedBytes();
  ~PinnedBytes();
  PinnedBytes(const PinnedBytes&) = delete;
  PinnedBytes& operator=(const PinnedBytes&) = delete;
  std::string_view view() const;
  // Whether the value is still in a write buffer. Valid only if get() has found it.
  bool in_write_buffer() const;

 private:
  friend class Store;
  // Storage for RocksDB's own handle, so that a read allocates nothing.
  alignas(std::max_align_t) std::byte handle_[128];
};

class Store {
 public:
  // Creates the folder if it does not exist. Fails if the data has a newer format.
  static Result<std::unique_ptr<Store>> open(const StoreOptions& options);
  // Syncs and closes. No other thread may still use the store.
  ~Store();
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  // Returns false if there is no such key.
  Result<bool> get(Space space, std::string_view key, PinnedBytes& value) const;
  std::shared_ptr<const Snapshot> snapshot() const;
  Result<bool> get(Space space, std::string_view key, PinnedBytes& value, const Snapshot& at) const;
  // A null `snapshot` reads the current state.
  std::unique_ptr<Cursor> cursor(Space space, CursorOptions options, std::shared_ptr<const Snapshot> snapshot) const;

  // Whether responses wait for a sync: false with relaxed durability and in memory.
  bool waits_for_sync() const;

  // Returns the commit that the response must wait for: its number, or 0 if durability requires no waiting.
  Result<uint64_t> commit(Batch& batch);
  // The same in two steps, for a batch that must contain its own number. Commit soon after begin_commit(): until then
  // no later commit is reported as durable. Numbers always grow, also across restarts.
  uint64_t begin_commit();
  Result<uint64_t> commit(Batch& batch, uint64_t number);
  // Reports that a commit has replaced or erased a value that was in_write_buffer(). When a buffer mostly consists of
  // such values, it is flushed early: see storage/buffer_trimmer.h.
  void note_superseded(Space space);
  // Every commit up to this one is visible to readers that start now.
  uint64_t finished_commit() const;
  // Every commit that begins from now on has a higher number.
  uint64_t begun_commit() const;
  // The newest commit that a read of this partition, finished before this call, may have seen.
  uint64_t commit_seen(std::string_view partition_or_key) const;
  // The same for a read of any partition.
  uint64_t commit_seen() const;

  // With relaxed durability, commits are buffered in memory. This call passes all of them to the operating system at
  // once; when it returns, earlier commits survive the end of the process. Costs almost nothing if none is buffered.
  Result<void> flush_log();

  uint64_t durable_commit() const;
  // Calls flush_log(), then waits for the commit.
  Result<void> wait_durable(uint64_t commit);
  // The same for background work: waits this long for a sync that others request before it requests one.
  Result<void> wait_durable_patiently(uint64_t commit, std::chrono::microseconds patience);
  // Calls `then` on the syncing thread, or immediately if the commit is durable already.
  void when_durable(uint64_t commit, std::move_only_function<void(Result<void>)> then);
  // Whether anyone is waiting for a commit to become durable.
  bool has_waiters() const;
  // Returns when every callback registered before has run. Call it before destroying anything that callbacks use.
  void wait_for_callbacks();

  // Makes everything written so far durable, even with relaxed durability (but not in memory). For effects outside of
  // the log that must not happen before the commit that causes them is durable, such as freeing files.
  Result<void> sync();

  // Frees the space of a range that is no longer read or written. Slow: for a background thread.
  Result<void> drop_range(Space space, const KeyRange& range);

  // Declares which records of kHistory are no longer needed: for each history keyspace listed, those up to the given
  // time. Compaction drops them within about a day; they may be visible until then. Other keyspaces keep all records.
  void set_history_cutoffs(std::map<uint32_t, int64_t> cutoffs_ms);
  // Compacts a range now, which removes deleted and unneeded entries. Slow: for tests and tools.
  Result<void> compact(Space space, const KeyRange& range);

  // An estimate of the number of keys in a range, without reading them. May include recently deleted keys.
  uint64_t approximate_count(Space space, const KeyRange& range) const;

  // Figures for metrics, summed over all spaces.
  struct Figure {
    std::string_view name;
    std::string_view help;
    bool only_grows = false;
    double value = 0;
  };
  void each_figure(const std::function<void(const Figure&)>& visit) const;

 private:
  friend class Batch;
  struct Impl;
  static Result<uint64_t> next_run(Impl& impl);
  explicit Store(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace trestle
