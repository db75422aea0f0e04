#include "storage/log_files.h"

#include <algorithm>

namespace trestle {

using rocksdb::IODebugContext;
using rocksdb::IOOptions;
using rocksdb::IOStatus;

// One log. Lives as long as its writer or a sync() uses it. Writers, and the thread that begins a new log, use atomics
// only, because mutex_ is held across a sync.
class LogFiles::Log {
 public:
  explicit Log(rocksdb::FSWritableFile* file) : file_(file) {}

  // Called before the append returns, hence before anyone requests a sync of these bytes.
  void note_append() { dirty_.store(true, std::memory_order_release); }

  // For LogFiles::sync(). If it returns OK, everything appended is durable.
  IOStatus sync() EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    if (file_ == nullptr) return IOStatus::OK();  // RocksDB has closed the log, so its data is no longer needed
    if (has_failed_.load(std::memory_order_acquire)) {
      return IOStatus::IOError("an earlier write or sync of this log has failed");
    }
    if (!dirty_.exchange(false, std::memory_order_acq_rel)) return IOStatus::OK();
    IOStatus status = file_->Sync(IOOptions(), nullptr);
    if (!status.ok()) fail();
    return status;
  }
  // For RocksDB, which syncs a log before it flushes a write buffer. Unlike sync(), it may be retried after a failure.
  IOStatus sync_for_writer(bool with_metadata, const IOOptions& options, IODebugContext* debug) EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    if (file_ == nullptr) return IOStatus::OK();
    IOStatus status = with_metadata ? file_->Fsync(options, debug) : file_->Sync(options, debug);
    if (!status.ok()) fail();
    return status;
  }
  // Every sync() that begins later fails. One in progress may succeed: it makes durable only what was appended before
  // it began, hence before the failure.
  void fail() { has_failed_.store(true, std::memory_order_release); }
  // Waits for a sync in progress, because the caller then destroys the file.
  void end() EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    file_ = nullptr;
    has_ended_.store(true, std::memory_order_release);
  }
  // True only if sync() would do nothing from now on, so that the log need not be listed any more.
  bool has_ended() const { return has_ended_.load(std::memory_order_acquire); }

 private:
  std::atomic<bool> dirty_{true};  // even when the log is empty: its length must be synced
  std::atomic<bool> has_failed_{false};
  std::atomic<bool> has_ended_{false};
  Mutex mutex_{kLogFileRank};
  rocksdb::FSWritableFile* file_ GUARDED_BY(mutex_);  // null: closed
};

// Tracks where the last complete record of a log ends. It must be given all bytes of the log. RocksDB's format is
// blocks of 32 KB that contain fragments of records. A fragment has a checksum (4 bytes), a length (2 bytes, little
// endian) and a type (1 byte). The last bytes of a block are unused if no header fits there.
class RecordEnd {
 public:
  void add(std::string_view bytes) {
    while (!bytes.empty()) bytes.remove_prefix(take(bytes));
  }
  uint64_t offset() const { return end_; }

 private:
  static constexpr size_t kBlock = 32 * 1024;
  static constexpr size_t kHeader = 7;
  static constexpr char kFull = 1;
  static constexpr char kLast = 4;

  // Returns how many of the bytes it has consumed.
  size_t take(std::string_view bytes) {
    size_t count = 0;
    if (payload_left_ > 0) {
      count = std::min(payload_left_, bytes.size());
      payload_left_ -= count;
    } else if (const size_t block_left = kBlock - position_ % kBlock; header_.empty() && block_left < kHeader) {
      count = std::min(block_left, bytes.size());
      position_ += count;
      return count;
    } else {
      count = std::min(kHeader - header_.size(), bytes.size());
      header_ += bytes.substr(0, count);
      if (header_.size() < kHeader) {
        position_ += count;
        return count;
      }
      payload_left_ = static_cast<uint8_t>(header_[4]) | static_cast<size_t>(static_cast<uint8_t>(header_[5])) << 8;
      is_last_ = header_[6] == kFull || header_[6] == kLast;
      header_.clear();
    }
    position_ += count;
    if (payload_left_ == 0 && is_last_) end_ = position_;
    return count;
  }

  uint64_t position_ = 0;
  uint64_t end_ = 0;
  std::string header_;       // the part of the header seen so far
  size_t payload_left_ = 0;  // of the fragment
  bool is_last_ = false;     // the fragment is the last of its record
};

namespace {

// Placeholder for a log that could not be created: writes to it fail.
class MissingLog final : public rocksdb::FSWritableFile {
 public:
  explicit MissingLog(IOStatus error) : error_(std::move(error)) {}
  using rocksdb::FSWritableFile::Append;
  IOStatus Append(const rocksdb::Slice&, const IOOptions&, IODebugContext*) override { return error_; }
  IOStatus Truncate(uint64_t, const IOOptions&, IODebugContext*) override { return IOStatus::OK(); }
  IOStatus Close(const IOOptions&, IODebugContext*) override { return IOStatus::OK(); }
  IOStatus Flush(const IOOptions&, IODebugContext*) override { return IOStatus::OK(); }
  IOStatus Sync(const IOOptions&, IODebugContext*) override { return IOStatus::OK(); }
  bool IsSyncThreadSafe() const override { return true; }
  uint64_t GetFileSize(const IOOptions&, IODebugContext*) override { return 0; }

 private:
  const IOStatus error_;
};

}  // namespace

// After a failed write, the log is truncated to its last complete record and ignores later appends, because RocksDB may
// retry the rest of that write while it recovers. With an incomplete record in any log but the last, RocksDB would fail
// to open.
class LogFiles::LogWriter final : public rocksdb::FSWritableFileOwnerWrapper {
 public:
  LogWriter(std::unique_ptr<rocksdb::FSWritableFile> file, std::shared_ptr<Log> log, const LogFiles& files)
      : rocksdb::FSWritableFileOwnerWrapper(std::move(file)), log_(std::move(log)), files_(files) {}
  ~LogWriter() override { log_->end(); }

  IOStatus Append(const rocksdb::Slice& data, const IOOptions& options, IODebugContext* debug) override {
    if (is_sealed_) return IOStatus::OK();
    return note(data, rocksdb::FSWritableFileOwnerWrapper::Append(data, options, debug));
  }
  IOStatus Append(const rocksdb::Slice& data, const IOOptions& options, const rocksdb::DataVerificationInfo& verified,
                  IODebugContext* debug) override {
    if (is_sealed_) return IOStatus::OK();
    return note(data, rocksdb::FSWritableFileOwnerWrapper::Append(data, options, verified, debug));
  }
  IOStatus Sync(const IOOptions& options, IODebugContext* debug) override {
    return log_->sync_for_writer(false, options, debug);
  }
  IOStatus Fsync(const IOOptions& options, IODebugContext* debug) override {
    return log_->sync_for_writer(true, options, debug);
  }
  IOStatus Close(const IOOptions& options, IODebugContext* debug) override {
    log_->end();
    return rocksdb::FSWritableFileOwnerWrapper::Close(options, debug);
  }

 private:
  IOStatus note(const rocksdb::Slice& data, IOStatus status) {
    if (status.ok()) {
      record_end_.add({data.data(), data.size()});
    } else {
      is_sealed_ = true;
      rocksdb::FSWritableFileOwnerWrapper::Truncate(record_end_.offset(), IOOptions(), nullptr).PermitUncheckedError();
      if (files_.failure_handler_ && files_.failure_handler_()) {
        log_->fail();
        return IOStatus::OK();
      }
    }
    log_->note_append();
    return status;
  }

  const std::shared_ptr<Log> log_;  // shared with LogFiles
  const LogFiles& files_;
  RecordEnd record_end_;
  bool is_sealed_ = false;  // RocksDB appends from one thread at a time
};

LogFiles::LogFiles(const std::shared_ptr<rocksdb::FileSystem>& target) : rocksdb::FileSystemWrapper(target) {}
LogFiles::~LogFiles() = default;

void LogFiles::set_failure_handler(std::function<bool()> handler) { failure_handler_ = std::move(handler); }

IOStatus LogFiles::NewWritableFile(const std::string& path, const rocksdb::FileOptions& options,
                                   std::unique_ptr<rocksdb::FSWritableFile>* file, IODebugContext* debug) {
  IOStatus status = rocksdb::FileSystemWrapper::NewWritableFile(path, options, file, debug);
  if (!path.ends_with(".log")) return status;
  // RocksDB 7.8.3 aborts the program with an assertion when it fails twice to begin a log while a write buffer contains
  // an erased range.
  if (!status.ok()) *file = std::make_unique<MissingLog>(status);
  auto log = std::make_shared<Log>(file->get());
  *file = std::make_unique<LogWriter>(std::move(*file), log, *this);
  MutexLock lock(mutex_);
  std::erase_if(logs_, [](const auto& known) { return known->has_ended(); });
  logs_.push_back(std::move(log));
  unsynced_folder_ = path.substr(0, path.rfind('/'));
  return IOStatus::OK();
}

IOStatus LogFiles::sync() {
  MutexLock one_at_a_time(syncing_);
  std::vector<std::shared_ptr<Log>> logs;
  std::string folder;
  {
    MutexLock lock(mutex_);
    logs = logs_;
    folder = std::exchange(unsynced_folder_, {});
  }
  IOStatus status;
  for (const auto& log : logs) {
    status = log->sync();
    if (!status.ok()) break;
  }
  if (folder.empty()) return status;
  if (status.ok()) status = sync_folder(folder);
  if (status.ok()) return status;
  MutexLock lock(mutex_);
  unsynced_folder_ = folder;
  return status;
}

IOStatus LogFiles::sync_folder(const std::string& folder) {
  std::unique_ptr<rocksdb::FSDirectory> directory;
  IOStatus status = target()->NewDirectory(folder, IOOptions(), &directory, nullptr);
  if (!status.ok()) return status;
  status = directory->FsyncWithDirOptions(
      IOOptions(), nullptr, rocksdb::DirFsyncOptions(rocksdb::DirFsyncOptions::FsyncReason::kNewFileSynced));
  directory->Close(IOOptions(), nullptr).PermitUncheckedError();
  return status;
}

void LogFiles::forget_older() {
  MutexLock lock(mutex_);
  std::erase_if(logs_, [](const auto& log) { return log->has_ended(); });
  if (logs_.size() > 1) logs_.erase(logs_.begin(), logs_.end() - 1);
}

}  // namespace trestle
