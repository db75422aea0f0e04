#include "simulation/faulty_disk.h"

#include <fmt/format.h>
#include <rocksdb/file_system.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <vector>

#include "base/mutex.h"
#include "storage/cached_reads.h"

namespace trestle {

struct DiskFile {
  std::string bytes;
  size_t synced_bytes = 0;
};
using DiskNames = std::map<std::string, std::shared_ptr<DiskFile>>;

// The files as one process sees them. Guarded by the disk's mutex.
struct DiskTree {
  DiskNames live;     // the names in a running system
  DiskNames durable;  // the names after a power loss
  std::set<std::string> folders;
  std::set<std::string> locked;
};

namespace {

using rocksdb::IODebugContext;
using rocksdb::IOOptions;
using rocksdb::IOStatus;

FileKind kind_of(const std::string& path) {
  const std::string name = path.substr(path.rfind('/') + 1);
  if (name.ends_with(".log")) return FileKind::kLog;
  if (name.ends_with(".sst")) return FileKind::kTable;
  if (name.starts_with("MANIFEST-")) return FileKind::kManifest;
  return FileKind::kOther;
}

std::string folder_of(const std::string& path) { return path.substr(0, path.rfind('/')); }

// Sets the same properties as RocksDB's POSIX file system, because its error handling depends on them.
IOStatus status_of(DiskError error, const std::string& path) {
  if (error != DiskError::kNoSpace) return IOStatus::IOError("injected: input/output error", path);
  IOStatus status = IOStatus::NoSpace("injected: no space left on device", path);
  status.SetRetryable(true);
  return status;
}

}  // namespace

std::string to_text(const DiskFault& fault) {
  static constexpr const char* kOperations[kDiskOperations] = {"write",       "sync",   "create",       "rename",
                                                               "sync folder", "remove", "open to read", "read"};
  static constexpr const char* kErrors[] = {"ENOSPC", "EIO", "a kill", "a power loss"};
  static constexpr const char* kFiles[kFileKinds] = {"log", "table", "manifest", "other"};
  return fmt::format("{} of {} fails with {} after {}, {} times, share written {:.2f}",
                     kOperations[static_cast<int>(fault.operation)],
                     fault.file ? kFiles[static_cast<int>(*fault.file)] : "any file",
                     kErrors[static_cast<int>(fault.error)], fault.skip, fault.times, fault.share_written);
}

struct FaultyDisk::State {
  Mutex mutex;
  std::shared_ptr<DiskTree> current GUARDED_BY(mutex) = std::make_shared<DiskTree>();  // shared with its mount
  std::shared_ptr<DiskTree> mounted GUARDED_BY(mutex);                                 // of the newest mount
  std::vector<DiskFault> faults GUARDED_BY(mutex);
  uint64_t failed_operations GUARDED_BY(mutex) = 0;

  // The fault that this operation triggers; nothing if it succeeds.
  std::optional<DiskFault> failing(const DiskTree& tree, DiskOperation operation, const std::string& path)
      REQUIRES(mutex) {
    if (&tree != current.get()) return std::nullopt;
    for (DiskFault& fault : faults) {
      if (fault.operation != operation || fault.times <= 0) continue;
      if (operation != DiskOperation::kSyncFolder && fault.file && *fault.file != kind_of(path)) continue;
      if (fault.skip-- > 0) continue;
      --fault.times;
      ++failed_operations;
      return fault;
    }
    return std::nullopt;
  }
  // Called at the start of most operations.
  IOStatus admit(const DiskTree& tree, DiskOperation operation, const std::string& path) REQUIRES(mutex) {
    const auto fault = failing(tree, operation, path);
    return fault ? fail(*fault, path) : IOStatus::OK();
  }
  // If the fault ends the process, the returned status does not matter: later effects of the process are discarded.
  IOStatus fail(const DiskFault& fault, const std::string& path) REQUIRES(mutex) {
    if (fault.error == DiskError::kNoSpace || fault.error == DiskError::kInputOutput) {
      return status_of(fault.error, path);
    }
    end_process(fault.error == DiskError::kPowerLoss ? std::optional(fault.seed) : std::nullopt);
    return IOStatus::OK();
  }
  // Earlier mounts now work on files that are discarded. With `seed`, power is lost.
  void end_process(std::optional<uint64_t> seed) REQUIRES(mutex);
};

namespace {

using DiskState = FaultyDisk::State;

// The state of every handle: the disk, the files of its process, and the path with which it was opened.
struct Handle {
  std::shared_ptr<DiskState> disk;  // shared because RocksDB may hold a handle longer than the test holds the disk
  std::shared_ptr<DiskTree> tree;   // shared with the mount and its other handles
  std::string path;
  std::shared_ptr<DiskFile> file;  // shared with the directory entries, which a removal deletes
};

class SequentialFile final : public rocksdb::FSSequentialFile {
 public:
  explicit SequentialFile(Handle handle) : handle_(std::move(handle)) {}
  IOStatus Read(size_t n, const IOOptions&, rocksdb::Slice* result, char* scratch, IODebugContext*) override {
    MutexLock lock(handle_.disk->mutex);
    IOStatus status = handle_.disk->admit(*handle_.tree, DiskOperation::kRead, handle_.path);
    if (!status.ok()) return status;
    const size_t count = std::min(n, handle_.file->bytes.size() - std::min(offset_, handle_.file->bytes.size()));
    handle_.file->bytes.copy(scratch, count, count == 0 ? 0 : offset_);
    offset_ += count;
    *result = rocksdb::Slice(scratch, count);
    return status;
  }
  IOStatus Skip(uint64_t n) override {
    offset_ += n;
    return IOStatus::OK();
  }

 private:
  const Handle handle_;
  size_t offset_ = 0;
};

class RandomAccessFile final : public rocksdb::FSRandomAccessFile {
 public:
  explicit RandomAccessFile(Handle handle) : handle_(std::move(handle)) {}
  IOStatus Read(uint64_t offset, size_t n, const IOOptions&, rocksdb::Slice* result, char* scratch,
                IODebugContext*) const override {
    MutexLock lock(handle_.disk->mutex);
    *result = rocksdb::Slice();
    if (CachedReads::must_not_wait() && ++reads_ % 2 == 0) {
      CachedReads::note_miss();
      return IOStatus::IOError("not in the page cache");
    }
    IOStatus status = handle_.disk->admit(*handle_.tree, DiskOperation::kRead, handle_.path);
    if (!status.ok()) return status;
    const std::string& bytes = handle_.file->bytes;
    const size_t count = offset >= bytes.size() ? 0 : std::min(n, bytes.size() - offset);
    if (count > 0) bytes.copy(scratch, count, offset);
    *result = rocksdb::Slice(scratch, count);
    return status;
  }

 private:
  const Handle handle_;
  mutable uint64_t reads_ = 0;  // by threads that must not wait; every second one misses. Guarded by the disk's mutex
};

class WritableFile final : public rocksdb::FSWritableFile {
 public:
  explicit WritableFile(Handle handle) : handle_(std::move(handle)) {}
  using rocksdb::FSWritableFile::Append;
  IOStatus Append(const rocksdb::Slice& data, const IOOptions&, IODebugContext*) override {
    MutexLock lock(handle_.disk->mutex);
    std::string& bytes = handle_.file->bytes;
    const auto fault =
        is_compaction() ? std::nullopt : handle_.disk->failing(*handle_.tree, DiskOperation::kWrite, handle_.path);
    if (!fault) {
      bytes.append(data.data(), data.size());
      return IOStatus::OK();
    }
    const auto bytes_written = static_cast<size_t>(fault->share_written * static_cast<double>(data.size()));
    bytes.append(data.data(), bytes_written);
    IOStatus status = handle_.disk->fail(*fault, handle_.path);
    if (status.ok()) bytes.append(data.data() + bytes_written, data.size() - bytes_written);
    return status;
  }
  IOStatus Truncate(uint64_t size, const IOOptions&, IODebugContext*) override {
    MutexLock lock(handle_.disk->mutex);
    handle_.file->bytes.resize(size);
    handle_.file->synced_bytes = std::min<size_t>(handle_.file->synced_bytes, size);
    return IOStatus::OK();
  }
  IOStatus Sync(const IOOptions&, IODebugContext*) override {
    MutexLock lock(handle_.disk->mutex);
    IOStatus status =
        is_compaction() ? IOStatus::OK() : handle_.disk->admit(*handle_.tree, DiskOperation::kSync, handle_.path);
    if (status.ok()) handle_.file->synced_bytes = handle_.file->bytes.size();
    return status;
  }
  IOStatus Close(const IOOptions&, IODebugContext*) override { return IOStatus::OK(); }
  IOStatus Flush(const IOOptions&, IODebugContext*) override { return IOStatus::OK(); }
  bool IsSyncThreadSafe() const override { return true; }
  uint64_t GetFileSize(const IOOptions&, IODebugContext*) override {
    MutexLock lock(handle_.disk->mutex);
    return handle_.file->bytes.size();
  }

 private:
  // Flushes write with high priority, compactions do not.
  bool is_compaction() const {
    return kind_of(handle_.path) == FileKind::kTable && io_priority_ != rocksdb::Env::IO_HIGH;
  }

  const Handle handle_;
};

class Folder final : public rocksdb::FSDirectory {
 public:
  explicit Folder(Handle handle) : handle_(std::move(handle)) {}
  IOStatus Fsync(const IOOptions&, IODebugContext*) override {
    MutexLock lock(handle_.disk->mutex);
    IOStatus status = handle_.disk->admit(*handle_.tree, DiskOperation::kSyncFolder, handle_.path);
    if (!status.ok()) return status;
    std::erase_if(handle_.tree->durable, [&](const auto& entry) { return folder_of(entry.first) == handle_.path; });
    for (const auto& [path, file] : handle_.tree->live) {
      if (folder_of(path) == handle_.path) handle_.tree->durable[path] = file;
    }
    return status;
  }
  IOStatus Close(const IOOptions&, IODebugContext*) override { return IOStatus::OK(); }

 private:
  const Handle handle_;
};

struct Lock final : rocksdb::FileLock {
  explicit Lock(std::string locked_path) : path(std::move(locked_path)) {}
  const std::string path;
};

std::string without_slash(std::string path) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return path;
}

// The file system as seen by one process.
class Mount final : public rocksdb::FileSystem {
 public:
  Mount(std::shared_ptr<DiskState> disk, std::shared_ptr<DiskTree> tree)
      : disk_(std::move(disk)), tree_(std::move(tree)) {}
  const char* Name() const override { return "FaultyDisk"; }

  IOStatus NewSequentialFile(const std::string& path, const rocksdb::FileOptions&,
                             std::unique_ptr<rocksdb::FSSequentialFile>* result, IODebugContext*) override {
    return open(path, result, [](Handle handle) { return std::make_unique<SequentialFile>(std::move(handle)); });
  }
  IOStatus NewRandomAccessFile(const std::string& path, const rocksdb::FileOptions&,
                               std::unique_ptr<rocksdb::FSRandomAccessFile>* result, IODebugContext*) override {
    return open(path, result, [](Handle handle) { return std::make_unique<RandomAccessFile>(std::move(handle)); });
  }
  IOStatus NewWritableFile(const std::string& path, const rocksdb::FileOptions&,
                           std::unique_ptr<rocksdb::FSWritableFile>* result, IODebugContext*) override {
    MutexLock lock(disk_->mutex);
    IOStatus status = disk_->admit(*tree_, DiskOperation::kCreate, path);
    if (!status.ok()) return status;
    auto file = std::make_shared<DiskFile>();
    tree_->live[path] = file;
    *result = std::make_unique<WritableFile>(handle_of(path, std::move(file)));
    return status;
  }
  IOStatus NewDirectory(const std::string& path, const IOOptions&, std::unique_ptr<rocksdb::FSDirectory>* result,
                        IODebugContext*) override {
    *result = std::make_unique<Folder>(handle_of(without_slash(path), nullptr));
    return IOStatus::OK();
  }

  IOStatus FileExists(const std::string& path, const IOOptions&, IODebugContext*) override {
    MutexLock lock(disk_->mutex);
    const bool exists = tree_->live.contains(path) || tree_->folders.contains(without_slash(path));
    return exists ? IOStatus::OK() : IOStatus::NotFound();
  }
  IOStatus GetChildren(const std::string& folder, const IOOptions&, std::vector<std::string>* names,
                       IODebugContext*) override {
    MutexLock lock(disk_->mutex);
    names->clear();
    for (const auto& [path, file] : tree_->live) {
      if (folder_of(path) == without_slash(folder)) names->push_back(path.substr(path.rfind('/') + 1));
    }
    return IOStatus::OK();
  }
  IOStatus DeleteFile(const std::string& path, const IOOptions&, IODebugContext*) override {
    MutexLock lock(disk_->mutex);
    IOStatus status = disk_->admit(*tree_, DiskOperation::kRemove, path);
    if (status.ok() && tree_->live.erase(path) == 0) return IOStatus::PathNotFound(path);
    return status;
  }
  IOStatus RenameFile(const std::string& from, const std::string& to, const IOOptions&, IODebugContext*) override {
    MutexLock lock(disk_->mutex);
    IOStatus status = disk_->admit(*tree_, DiskOperation::kRename, to);
    if (!status.ok()) return status;
    const auto found = tree_->live.find(from);
    if (found == tree_->live.end()) return IOStatus::PathNotFound(from);
    tree_->live[to] = found->second;
    tree_->live.erase(from);
    return status;
  }
  IOStatus GetFileSize(const std::string& path, const IOOptions&, uint64_t* size, IODebugContext*) override {
    MutexLock lock(disk_->mutex);
    const auto found = tree_->live.find(path);
    if (found == tree_->live.end()) return IOStatus::PathNotFound(path);
    *size = found->second->bytes.size();
    return IOStatus::OK();
  }
  IOStatus GetFileModificationTime(const std::string&, const IOOptions&, uint64_t* time, IODebugContext*) override {
    *time = 0;
    return IOStatus::OK();
  }

  IOStatus CreateDir(const std::string& path, const IOOptions& options, IODebugContext* context) override {
    return CreateDirIfMissing(path, options, context);
  }
  IOStatus CreateDirIfMissing(const std::string& path, const IOOptions&, IODebugContext*) override {
    MutexLock lock(disk_->mutex);
    tree_->folders.insert(without_slash(path));
    return IOStatus::OK();
  }
  IOStatus DeleteDir(const std::string& path, const IOOptions&, IODebugContext*) override {
    MutexLock lock(disk_->mutex);
    tree_->folders.erase(without_slash(path));
    return IOStatus::OK();
  }
  IOStatus IsDirectory(const std::string& path, const IOOptions&, bool* is_folder, IODebugContext*) override {
    MutexLock lock(disk_->mutex);
    *is_folder = tree_->folders.contains(without_slash(path));
    return IOStatus::OK();
  }

  IOStatus LockFile(const std::string& path, const IOOptions&, rocksdb::FileLock** result, IODebugContext*) override {
    MutexLock lock(disk_->mutex);
    if (!tree_->locked.insert(path).second) return IOStatus::IOError("lock is held", path);
    *result = new Lock(path);
    return IOStatus::OK();
  }
  IOStatus UnlockFile(rocksdb::FileLock* held, const IOOptions&, IODebugContext*) override {
    const std::unique_ptr<Lock> owned(static_cast<Lock*>(held));
    MutexLock lock(disk_->mutex);
    tree_->locked.erase(owned->path);
    return IOStatus::OK();
  }

  IOStatus GetTestDirectory(const IOOptions&, std::string* path, IODebugContext*) override {
    *path = "/test";
    return IOStatus::OK();
  }
  IOStatus NewLogger(const std::string&, const IOOptions&, std::shared_ptr<rocksdb::Logger>*,
                     IODebugContext*) override {
    return IOStatus::NotSupported("the store has its own logger");
  }
  IOStatus GetAbsolutePath(const std::string& path, const IOOptions&, std::string* result, IODebugContext*) override {
    *result = path;
    return IOStatus::OK();
  }

 private:
  Handle handle_of(const std::string& path, std::shared_ptr<DiskFile> file) const {
    return {.disk = disk_, .tree = tree_, .path = path, .file = std::move(file)};
  }
  template <class Result, class Make>
  IOStatus open(const std::string& path, std::unique_ptr<Result>* result, Make make) {
    MutexLock lock(disk_->mutex);
    IOStatus status = disk_->admit(*tree_, DiskOperation::kOpenToRead, path);
    if (!status.ok()) return status;
    const auto found = tree_->live.find(path);
    if (found == tree_->live.end()) return IOStatus::PathNotFound(path);
    *result = make(handle_of(path, found->second));
    return status;
  }

  const std::shared_ptr<DiskState> disk_;  // shared with the other mounts and with open files
  const std::shared_ptr<DiskTree> tree_;   // shared with open files
};

}  // namespace

FaultyDisk::FaultyDisk() : state_(std::make_shared<State>()) {}
FaultyDisk::~FaultyDisk() = default;

std::shared_ptr<rocksdb::FileSystem> FaultyDisk::mount() {
  MutexLock lock(state_->mutex);
  state_->mounted = state_->current;
  return std::make_shared<Mount>(state_, state_->current);
}

void FaultyDisk::inject(const DiskFault& fault) {
  MutexLock lock(state_->mutex);
  state_->faults.push_back(fault);
}

void FaultyDisk::heal() {
  MutexLock lock(state_->mutex);
  state_->faults.clear();
}

uint64_t FaultyDisk::faults() const {
  MutexLock lock(state_->mutex);
  return state_->failed_operations;
}

bool FaultyDisk::has_ended() const {
  MutexLock lock(state_->mutex);
  return state_->mounted != state_->current;
}

void FaultyDisk::kill() {
  MutexLock lock(state_->mutex);
  state_->end_process(std::nullopt);
}

void FaultyDisk::cut_power(uint64_t seed) {
  MutexLock lock(state_->mutex);
  state_->end_process(seed);
}

void FaultyDisk::State::end_process(std::optional<uint64_t> seed) {
  std::mt19937_64 random(seed.value_or(0));
  const bool keeps_names = !seed || random() % 2 == 0;
  std::map<const DiskFile*, std::shared_ptr<DiskFile>> copies;
  const auto copy_of = [&](const std::shared_ptr<DiskFile>& file) {
    std::shared_ptr<DiskFile>& copy = copies[file.get()];
    if (copy) return copy;
    copy = std::make_shared<DiskFile>(*file);
    if (!seed) return copy;
    const size_t unsynced = file->bytes.size() - std::min(file->bytes.size(), file->synced_bytes);
    size_t bytes_left = file->bytes.size() - unsynced;
    if (random() % 2 == 0) bytes_left += random() % (unsynced + 1);
    copy->bytes.resize(bytes_left);
    copy->synced_bytes = bytes_left;
    return copy;
  };
  auto left = std::make_shared<DiskTree>();
  left->folders = current->folders;
  for (const auto& [path, file] : keeps_names ? current->live : current->durable) left->live[path] = copy_of(file);
  if (seed) {
    left->durable = left->live;
  } else {
    for (const auto& [path, file] : current->durable) left->durable[path] = copy_of(file);
  }
  current = std::move(left);
  faults.clear();
}

}  // namespace trestle
