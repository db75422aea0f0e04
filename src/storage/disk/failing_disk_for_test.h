// For tests: a file system that fails on demand, as a full or broken disk does. It can fail writes or syncs of the log,
// and the creation of data files.
//
//   auto disk = std::make_shared<FailingDisk>();
//   StoreOptions{.folder = folder, .file_system = disk}
//   disk->fail_syncs = true;
#pragma once

#include <rocksdb/file_system.h>

#include <atomic>
#include <memory>
#include <string>

namespace trestle {

class FailingDisk final : public rocksdb::FileSystemWrapper {
 public:
  FailingDisk() : rocksdb::FileSystemWrapper(rocksdb::FileSystem::Default()) {}
  const char* Name() const override { return "FailingDisk"; }

  std::atomic<bool> fail_writes{false};
  std::atomic<bool> fail_syncs{false};
  std::atomic<bool> fail_data_files{false};
  std::atomic<bool> is_full{true};  // failures report a full disk; false: an I/O error

  rocksdb::IOStatus NewWritableFile(const std::string& name, const rocksdb::FileOptions& options,
                                    std::unique_ptr<rocksdb::FSWritableFile>* file,
                                    rocksdb::IODebugContext* debug) override {
    if (fail_data_files && name.ends_with(".sst")) return error();
    auto status = rocksdb::FileSystemWrapper::NewWritableFile(name, options, file, debug);
    if (status.ok() && name.ends_with(".log")) *file = std::make_unique<Log>(std::move(*file), *this);
    return status;
  }

 private:
  rocksdb::IOStatus error() const {
    return is_full ? rocksdb::IOStatus::NoSpace("injected") : rocksdb::IOStatus::IOError("injected");
  }

  class Log final : public rocksdb::FSWritableFileOwnerWrapper {
   public:
    Log(std::unique_ptr<rocksdb::FSWritableFile> file, const FailingDisk& disk)
        : rocksdb::FSWritableFileOwnerWrapper(std::move(file)), disk_(disk) {}
    using rocksdb::FSWritableFileOwnerWrapper::Append;
    rocksdb::IOStatus Append(const rocksdb::Slice& data, const rocksdb::IOOptions& options,
                             rocksdb::IODebugContext* debug) override {
      if (disk_.fail_writes) return disk_.error();
      return rocksdb::FSWritableFileOwnerWrapper::Append(data, options, debug);
    }
    rocksdb::IOStatus Sync(const rocksdb::IOOptions& options, rocksdb::IODebugContext* debug) override {
      if (disk_.fail_syncs) return disk_.error();
      return rocksdb::FSWritableFileOwnerWrapper::Sync(options, debug);
    }
    rocksdb::IOStatus Fsync(const rocksdb::IOOptions& options, rocksdb::IODebugContext* debug) override {
      if (disk_.fail_syncs) return disk_.error();
      return rocksdb::FSWritableFileOwnerWrapper::Fsync(options, debug);
    }

   private:
    const FailingDisk& disk_;
  };
};

}  // namespace trestle
