// Declarations shared by the store's source files. Internal to them.
#pragma once

#include <rocksdb/db.h>
#include <rocksdb/env.h>
#include <rocksdb/listener.h>
#include <rocksdb/options.h>
#include <rocksdb/write_batch.h>

#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/mutex.h"
#include "storage/buffer_trimmer.h"
#include "storage/durability.h"
#include "storage/history_filter.h"
#include "storage/lock_ranks.h"
#include "storage/log_files.h"
#include "storage/log_gate.h"
#include "storage/store.h"
#include "storage/store_counters.h"

namespace trestle {

inline rocksdb::Slice slice(std::string_view bytes) { return {bytes.data(), bytes.size()}; }
inline std::string_view view(const rocksdb::Slice& bytes) { return {bytes.data(), bytes.size()}; }

// The error of reads and commits after a miss: see storage/cached_reads.h.
Error miss_error();
// The only place where a rocksdb::Status becomes an Error.
Error error_of(const rocksdb::Status& status);
inline Result<void> result_of(const rocksdb::Status& status) {
  if (status.ok()) return {};
  return std::unexpected(error_of(status));
}

struct Batch::Impl {
  rocksdb::WriteBatch writes;
  std::vector<uint32_t> partitions;  // hashes of the partitions that change, for readers
  bool is_unread = false;
  std::array<rocksdb::ColumnFamilyHandle*, kSpaces> spaces{};
  rocksdb::ColumnFamilyHandle* space(Space space) const { return spaces[static_cast<size_t>(space)]; }
  void note_change(Space space, std::string_view key) {
    if (space == Space::kItems && !is_unread) partitions.push_back(partition_hash(key));
  }
};

// Decides how RocksDB handles disk errors: it stops accepting writes until the store resumes it
// (storage/store_recovery.cc). Thread-safe.
class ErrorListener final : public rocksdb::EventListener {
 public:
  // The handler is called on one of RocksDB's threads when RocksDB stops. Once set_handler() has returned, the previous
  // handler is no longer called.
  void set_handler(std::function<void(const rocksdb::Status&)> handler) EXCLUDES(mutex_);

  void OnBackgroundError(rocksdb::BackgroundErrorReason reason, rocksdb::Status* error) override EXCLUDES(mutex_);
  void OnErrorRecoveryBegin(rocksdb::BackgroundErrorReason reason, rocksdb::Status error, bool* automatic) override;

 private:
  Mutex mutex_{kErrorHandlerRank};
  std::function<void(const rocksdb::Status&)> handler_ GUARDED_BY(mutex_);
};

struct Store::Impl {
  StoreOptions options;
  std::shared_ptr<LogFiles> log_files;                                        // shared with RocksDB; null in memory
  std::unique_ptr<rocksdb::Env> env;                                          // outlives db
  std::shared_ptr<ErrorListener> errors = std::make_shared<ErrorListener>();  // RocksDB holds it too
  std::shared_ptr<rocksdb::Cache> cache;
  std::shared_ptr<StoreCounters> counters = std::make_shared<StoreCounters>();  // RocksDB holds it too
  std::unique_ptr<rocksdb::DB> db;
  std::array<rocksdb::ColumnFamilyHandle*, kSpaces> spaces{};
  std::shared_ptr<HistoryFilters> history_filters = std::make_shared<HistoryFilters>();  // RocksDB holds it too
  std::unique_ptr<DurabilityTracker> durability;
  std::unique_ptr<BufferTrimmer> trimmer;
  rocksdb::WriteOptions write_options;
  std::string run;  // the number of this run, as stored
  LogGate log_gate;
  std::atomic<bool> recovering{false};
  std::atomic<bool> closing{false};
  // Relaxed durability: how many commits were written to the log, and how many of them were passed to the system.
  std::atomic<uint64_t> logged{0};
  std::atomic<uint64_t> flushed{0};
  Mutex flush_mutex{kLogFlushRank};  // one flush of the log at a time
  std::atomic<bool> flushing_log{false};

  ~Impl();
  rocksdb::ColumnFamilyHandle* space(Space space) const { return spaces[static_cast<size_t>(space)]; }
  bool buffers_log() const { return !options.in_memory && options.durability == Durability::kRelaxed; }

  // RocksDB lets no commit begin while its log is flushed. A flush takes microseconds, but waiting for it in RocksDB
  // puts the thread to sleep, and waking up takes many times as long. So a commit first polls a few times here. It may
  // still run into a flush afterwards.
  void avoid_log_flush() const {
    constexpr int kLooks = 64;
    for (int i = 0; i < kLooks && flushing_log.load(std::memory_order_relaxed); ++i) std::this_thread::yield();
  }

  // Makes everything durable that was written to the log.
  Result<void> sync_log();
  // Recovers after a failure. Once it succeeds, everything visible is durable and writes are accepted again.
  Result<void> recover();
  // Flushes the write buffer of one space, which begins a new log. Returns when the flush is complete.
  rocksdb::Status flush_space(Space space);
  // Called after a failed write to the log. Returns whether to hide the failure from RocksDB.
  bool hides_log_failure();

 private:
  rocksdb::Status flush_all_spaces();
  rocksdb::Status wait_while(const std::function<bool()>& is_flushing, uint64_t errors_before) const;
  bool has_full_buffer(rocksdb::ColumnFamilyHandle* space) const;
  // Whether a write buffer is being flushed, or is about to be.
  bool is_flushing() const;
  uint64_t background_errors() const;
};

}  // namespace trestle
