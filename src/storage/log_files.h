// A file system that tracks which write-ahead logs RocksDB has open, and syncs them.
//
// The store syncs logs here, below RocksDB, and does not call DB::SyncWAL(). In RocksDB 7.8.3, SyncWAL() after a failed
// write to a log aborts the program with an assertion, and after a failed sync RocksDB accepts no writes until it is
// reopened. Here RocksDB never sees a failed sync. The store handles it: it makes RocksDB flush all write buffers,
// which begins a new log, and then calls forget_older().
//
// After a failed write, a log is truncated to its last complete record. If a log cannot be created, RocksDB gets a
// placeholder, and the first write to it fails.
//
// After a failed sync the operating system may have dropped the unsynced data, and the next sync would succeed without
// it. Therefore that log fails every later sync.
//
// Thread-safe.
#pragma once

#include <rocksdb/file_system.h>

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "storage/lock_ranks.h"

namespace trestle {

class LogFiles final : public rocksdb::FileSystemWrapper {
 public:
  explicit LogFiles(const std::shared_ptr<rocksdb::FileSystem>& target);
  ~LogFiles() override;
  const char* Name() const override { return "LogFiles"; }

  // Makes everything durable that was appended to logs before this call.
  rocksdb::IOStatus sync() EXCLUDES(syncing_, mutex_);
  // From now on only the newest log is synced. The caller guarantees that the data of older logs is in data files.
  void forget_older() EXCLUDES(mutex_);
  // The handler is called when a write to a log has failed. If it returns true, the failure is hidden from RocksDB, and
  // the log then fails every sync.
  void set_failure_handler(std::function<bool()> handler);

  rocksdb::IOStatus NewWritableFile(const std::string& path, const rocksdb::FileOptions& options,
                                    std::unique_ptr<rocksdb::FSWritableFile>* file,
                                    rocksdb::IODebugContext* debug) override;

 private:
  class Log;
  class LogWriter;

  rocksdb::IOStatus sync_folder(const std::string& folder);

  std::function<bool()> failure_handler_;  // constant once there are writes

  // Held during sync(): a second caller must not return before the first has synced the bytes that both rely on.
  Mutex syncing_{kLogSyncRank};
  Mutex mutex_{kShortRank};
  std::vector<std::shared_ptr<Log>> logs_ GUARDED_BY(mutex_);  // shared with their writers; in the order of creation
  std::string unsynced_folder_ GUARDED_BY(mutex_);             // has a new log since its last sync; empty: none
};

}  // namespace trestle
