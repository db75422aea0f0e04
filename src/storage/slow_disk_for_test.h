// For tests: a file system on which syncs of the log wait on demand, as on a slow disk.
//
//   auto disk = std::make_shared<SlowDisk>();
//   StoreOptions{.folder = folder, .file_system = disk}
//   disk->hold_syncs();
//   disk->wait_for_sync();      a thread waits for a sync of the log
//   disk->release_syncs();
//
// Release syncs before the store is closed.
#pragma once

#include <rocksdb/file_system.h>

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>

namespace trestle {

class SlowDisk final : public rocksdb::FileSystemWrapper {
 public:
  SlowDisk() : rocksdb::FileSystemWrapper(rocksdb::FileSystem::Default()) {}
  const char* Name() const override { return "SlowDisk"; }

  void hold_syncs() { set_held(true); }
  void release_syncs() { set_held(false); }
  void wait_for_sync() {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, std::chrono::seconds(60), [&] { return waiting_ > 0; });
  }

  rocksdb::IOStatus NewWritableFile(const std::string& name, const rocksdb::FileOptions& options,
                                    std::unique_ptr<rocksdb::FSWritableFile>* file,
                                    rocksdb::IODebugContext* debug) override {
    auto status = rocksdb::FileSystemWrapper::NewWritableFile(name, options, file, debug);
    if (status.ok() && name.ends_with(".log")) *file = std::make_unique<Log>(std::move(*file), *this);
    return status;
  }

 private:
  class Log final : public rocksdb::FSWritableFileOwnerWrapper {
   public:
    Log(std::unique_ptr<rocksdb::FSWritableFile> file, SlowDisk& disk)
        : rocksdb::FSWritableFileOwnerWrapper(std::move(file)), disk_(disk) {}
    rocksdb::IOStatus Sync(const rocksdb::IOOptions& options, rocksdb::IODebugContext* debug) override {
      disk_.wait();
      return rocksdb::FSWritableFileOwnerWrapper::Sync(options, debug);
    }
    rocksdb::IOStatus Fsync(const rocksdb::IOOptions& options, rocksdb::IODebugContext* debug) override {
      disk_.wait();
      return rocksdb::FSWritableFileOwnerWrapper::Fsync(options, debug);
    }

   private:
    SlowDisk& disk_;
  };

  void set_held(bool held) {
    const std::lock_guard lock(mutex_);
    is_held_ = held;
    changed_.notify_all();
  }
  void wait() {
    std::unique_lock lock(mutex_);
    ++waiting_;
    changed_.notify_all();
    changed_.wait(lock, [&] { return !is_held_; });
    --waiting_;
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_held_ = false;
  int waiting_ = 0;
};

}  // namespace trestle
