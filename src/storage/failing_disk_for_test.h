// For tests: a file system that fails on demand: writes or syncs of the log, like a full disk.
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

  rocksdb::IOStatus NewWritableFile(const std::string& name, const rocksdb::FileOptions& options,
                                    std::unique_ptr<rocksdb::FSWritableFile>* file,
                                    rocksdb::IODebugContext* debug) override {
    auto status = rocksdb::FileSystemWrapper::NewWritableFile(name, options, file, debug);
    if (status.ok() && name.ends_with(".log")) *file = std::make_unique<Log>(std::move(*file), *this);
    return status;
  }

 private:
  static rocksdb::IOStatus no_space() { return rocksdb::IOStatus::NoSpace("injected"); }

  class Log final : public rocksdb::FSWritableFileOwnerWrapper {
   public:
    Log(std::unique_ptr<rocksdb::FSWritableFile> file, const FailingDisk& disk)
        : rocksdb::FSWritableFileOwnerWrapper(std::move(file)), disk_(disk) {}
    using rocksdb::FSWritableFileOwnerWrapper::Append;
    rocksdb::IOStatus Append(const rocksdb::Slice& data, const rocksdb::IOOptions& options,
                             rocksdb::IODebugContext* debug) override {
      if (disk_.fail_writes) return no_space();
      return rocksdb::FSWritableFileOwnerWrapper::Append(data, options, debug);
    }
    rocksdb::IOStatus Sync(const rocksdb::IOOptions& options, rocksdb::IODebugContext* debug) override {
      if (disk_.fail_syncs) return no_space();
      return rocksdb::FSWritableFileOwnerWrapper::Sync(options, debug);
    }
    rocksdb::IOStatus Fsync(const rocksdb::IOOptions& options, rocksdb::IODebugContext* debug) override {
      if (disk_.fail_syncs) return no_space();
      return rocksdb::FSWritableFileOwnerWrapper::Fsync(options, debug);
    }

   private:
    const FailingDisk& disk_;
  };
};

}  // namespace trestle
