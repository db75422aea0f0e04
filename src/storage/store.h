// The store: ordered bytes on disk, in RocksDB. In the program, only store.cc and the headers internal to it include
// RocksDB.
//
// Invariants:
// - commit() applies a batch atomically; it is visible to all readers when commit() returns.
// - A commit has a number. Once durable_commit() has reached it, it survives kill -9 and power loss. One thread syncs
//   for all: many commits share one sync, and no lock is held across it.
// - A response must not be sent before the commits it depends on are durable. A writer depends on its own commit. A
//   reader may have seen a commit that is not durable yet: commit_seen() returns, by partition, the newest such commit.
// - When the disk rejects a write or a sync, that commit and every later one fail until the store has recovered by
//   itself; what was durable stays durable.
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
  kRelaxed,  // it survives the program's death, and power loss only after the system has written its caches
};

struct StoreOptions {
  std::string folder;
  bool in_memory = false;
  Durability durability = Durability::kSync;
  size_t cache_bytes = size_t{256} << 20;
  // Tests put one here that fails when they say so. Null: the operating system's. Shared: the test keeps its handle.
  std::shared_ptr<rocksdb::FileSystem> file_system;
};

// The part of the store that a key is in. A batch may write to several.
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
  // A put or an erase in kItems notes the partition as changed, for commit_seen(); after set_unread() it does not: no
  // request can read what follows, until a later commit makes it readable and is durable.
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
  // After valid() turned false: whether the range really ended there.
  virtual Result<void> status() const = 0;
};

struct CursorOptions {
  KeyRange range;
  bool backward = false;
  // Start strictly after this key (before it, going backward). Empty: at the edge of the range.
  std::string after;
  // A long scan leaves the cache to others.
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
  // Whether the value, which was found, is still in a write buffer.
  bool in_write_buffer() const;

 private:
  friend class Store;
  // Room for RocksDB's own handle, so that a read allocates nothing.
  alignas(std::max_align_t) std::byte handle_[128];
};

class Store {
 public:
  // Creates the folder if need be. Refuses data written by a newer format.
  static Result<std::unique_ptr<Store>> open(const StoreOptions& options);
  // Waits for commits in progress, syncs and closes. No other thread may use the store any more.
  ~Store();
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  // False: no such key.
  Result<bool> get(Space space, std::string_view key, PinnedBytes& value) const;
  std::shared_ptr<const Snapshot> snapshot() const;
  Result<bool> get(Space space, std::string_view key, PinnedBytes& value, const Snapshot& at) const;
  // `snapshot` may be null: as of now.
  std::unique_ptr<Cursor> cursor(Space space, CursorOptions options, std::shared_ptr<const Snapshot> snapshot) const;

  // Whether responses wait for a sync at all; not with relaxed durability, nor in memory.
  bool waits_for_sync() const;

  // Returns the commit that the response must wait for: its number, or 0 if durability requires no waiting.
  Result<uint64_t> commit(Batch& batch);
  // The same in two steps, for a batch that must contain its own number. A commit that was begun must be committed
  // soon: until then no later commit is reported as durable. Numbers always grow, also across restarts.
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
  // The same for a read of anything.
  uint64_t commit_seen() const;

  // With relaxed durability, this call passes buffered commits to the operating system, many at once. Once it has
  // returned, commits made before it survive the end of the process. Free if nothing is buffered.
  Result<void> settle();

  uint64_t durable_commit() const;
  // Calls settle(), then waits for the commit.
  Result<void> wait_durable(uint64_t commit);
  // The same for background work: lets others ask for the sync for this time.
  Result<void> wait_durable_patiently(uint64_t commit, std::chrono::microseconds patience);
  // Calls back on the syncing thread, or immediately if the commit is durable already.
  void when_durable(uint64_t commit, std::move_only_function<void(Result<void>)> then);
  // Whether somebody waits for a commit to become durable.
  bool has_waiters() const;
  // Returns when every callback passed before has been called. Call it before destroying anything they use.
  void wait_for_callbacks();

  // Makes everything written durable, in every mode but memory. For effects outside of the log that must not precede
  // their cause, such as freeing files.
  Result<void> sync();

  // Frees the space of a range that is no longer read or written. Slow: for a background thread.
  Result<void> drop_range(Space space, const KeyRange& range);

  // Declares which records of kHistory are no longer needed: by history keyspace, those up to a time. Compaction drops
  // them within about a day; they may be visible until then. Other keyspaces keep all records.
  void set_history_cutoffs(std::map<uint32_t, int64_t> cutoffs_ms);
  // Rewrites a range now, without what is deleted or no longer needed. Slow: for tests and tools.
  Result<void> compact(Space space, const KeyRange& range);

  // About how many keys a range holds; what was deleted lately may be among them. Does not read them.
  uint64_t approximate_count(Space space, const KeyRange& range) const;

  // Figures for metrics, of all spaces together.
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
