// A file system that knows which write-ahead logs RocksDB has open, and syncs them.
//
// The store syncs logs here, below RocksDB, and does not call DB::SyncWAL(). After a failed write to a log, SyncWAL()
// stops the program by an assertion (RocksDB 7.8.3), and after a failed sync RocksDB accepts no write until it is
// opened again. Here a failed sync is the store's business alone: it has RocksDB write out all buffers, which begins a
// new log, and then calls forget_older().
//
// A log to which a write has failed ends with its last complete record. A log that cannot be created seems to be there,
// and the first write to it fails.
//
// After a failed sync the operating system may have dropped what was not synced, and the next sync would succeed
// without it. That log therefore fails every sync from then on.
//
// Threads may share it.
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
  explicit LogFiles(std::shared_ptr<rocksdb::FileSystem> target);
  ~LogFiles() override;
  const char* Name() const override { return "LogFiles"; }

  // Makes everything that was appended to logs before this call durable.
  rocksdb::IOStatus sync() EXCLUDES(syncing_, mutex_);
  // Only the newest log is synced from now on: what older ones hold is in data files.
  void forget_older() EXCLUDES(mutex_);
  // Called when a write to a log has failed. If it returns true, RocksDB does not learn of it; the log then fails every
  // sync.
  void set_failure_handler(std::function<bool()> handler);

  rocksdb::IOStatus NewWritableFile(const std::string& path, const rocksdb::FileOptions& options,
                                    std::unique_ptr<rocksdb::FSWritableFile>* file,
                                    rocksdb::IODebugContext* debug) override;

 private:
  class Log;
  class LogWriter;

  rocksdb::IOStatus sync_folder(const std::string& folder);

  std::function<bool()> failure_handler_;  // constant once there are writes

  Mutex syncing_{
      kShortRank};  // one sync() at a time: its caller may rely on all that was appended, also if another syncs it
  Mutex mutex_{kShortRank};
  std::vector<std::shared_ptr<Log>> logs_ GUARDED_BY(mutex_);  // shared with their writers; in the order of creation
  std::string unsynced_folder_ GUARDED_BY(mutex_);             // a log was created in it since it was synced
};

}  // namespace trestle
