#include "storage/log_files.h"

#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <mutex>
#include <thread>

#include "base/scratch_folder.h"

namespace trestle {
namespace {

using rocksdb::IODebugContext;
using rocksdb::IOOptions;
using rocksdb::IOStatus;

constexpr std::chrono::seconds kPatience{60};

// Records what is synced. Syncs of the held log wait; appends fail on demand.
class WatchedDisk final : public rocksdb::FileSystemWrapper {
 public:
  WatchedDisk() : rocksdb::FileSystemWrapper(rocksdb::FileSystem::Default()) {}
  const char* Name() const override { return "WatchedDisk"; }

  std::atomic<bool> fail_appends{false};

  void hold(const std::string& name) {
    const std::lock_guard lock(mutex_);
    held_ = name;
    changed_.notify_all();
  }
  bool wait_for_sync() {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, kPatience, [&] { return is_waiting_; });
  }
  std::vector<std::string> take_synced() {
    const std::lock_guard lock(mutex_);
    return std::exchange(synced_, {});
  }

  IOStatus NewWritableFile(const std::string& path, const rocksdb::FileOptions& options,
                           std::unique_ptr<rocksdb::FSWritableFile>* file, IODebugContext* debug) override {
    IOStatus status = rocksdb::FileSystemWrapper::NewWritableFile(path, options, file, debug);
    if (status.ok()) *file = std::make_unique<File>(std::move(*file), path.substr(path.rfind('/') + 1), *this);
    return status;
  }

 private:
  class File final : public rocksdb::FSWritableFileOwnerWrapper {
   public:
    File(std::unique_ptr<rocksdb::FSWritableFile> file, std::string name, WatchedDisk& disk)
        : rocksdb::FSWritableFileOwnerWrapper(std::move(file)), name_(std::move(name)), disk_(disk) {}
    using rocksdb::FSWritableFileOwnerWrapper::Append;
    IOStatus Append(const rocksdb::Slice& data, const IOOptions& options, IODebugContext* debug) override {
      if (disk_.fail_appends) return IOStatus::IOError("injected");
      return rocksdb::FSWritableFileOwnerWrapper::Append(data, options, debug);
    }
    IOStatus Sync(const IOOptions& options, IODebugContext* debug) override {
      disk_.note_sync(name_);
      return rocksdb::FSWritableFileOwnerWrapper::Sync(options, debug);
    }

   private:
    const std::string name_;
    WatchedDisk& disk_;
  };

  void note_sync(const std::string& name) {
    std::unique_lock lock(mutex_);
    is_waiting_ = name == held_;
    changed_.notify_all();
    changed_.wait_for(lock, kPatience, [&] { return name != held_; });
    is_waiting_ = false;
    synced_.push_back(name);
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::string held_;
  bool is_waiting_ = false;
  std::vector<std::string> synced_;
};

class LogFilesTest : public testing::Test {
 protected:
  std::unique_ptr<rocksdb::FSWritableFile> begin_log(const std::string& name) {
    std::unique_ptr<rocksdb::FSWritableFile> log;
    EXPECT_TRUE(logs_.NewWritableFile(folder_.path() + "/" + name, rocksdb::FileOptions(), &log, nullptr).ok());
    return log;
  }
  static bool append(rocksdb::FSWritableFile& log) { return log.Append("data", IOOptions(), nullptr).ok(); }
  // Syncs on another thread, and returns once `name` is being synced.
  std::future<bool> sync_held_at(const std::string& name) {
    disk_->hold(name);
    auto synced = std::async(std::launch::async, [this] { return logs_.sync().ok(); });
    EXPECT_TRUE(disk_->wait_for_sync());
    return synced;
  }
  // Runs it on another thread, because a failing test would wait for the sync.
  void expect_no_wait(const std::function<void()>& work) {
    auto done = std::async(std::launch::async, work);
    EXPECT_EQ(done.wait_for(std::chrono::seconds(10)), std::future_status::ready);
    disk_->hold("");
  }

  ScratchFolder folder_;
  std::shared_ptr<WatchedDisk> disk_ = std::make_shared<WatchedDisk>();
  LogFiles logs_{disk_};
};

using Names = std::vector<std::string>;

TEST_F(LogFilesTest, a_log_begun_during_a_sync_does_not_wait_for_it_and_is_synced_by_the_next) {
  const auto first = begin_log("1.log");
  EXPECT_TRUE(append(*first));
  auto synced = sync_held_at("1.log");
  std::unique_ptr<rocksdb::FSWritableFile> second;
  expect_no_wait([&] {
    second = begin_log("2.log");
    EXPECT_TRUE(append(*second));
    EXPECT_TRUE(append(*first));
  });
  EXPECT_TRUE(synced.get());
  EXPECT_EQ(disk_->take_synced(), Names{"1.log"});
  EXPECT_TRUE(logs_.sync().ok());
  EXPECT_EQ(disk_->take_synced(), (Names{"1.log", "2.log"}));
}

TEST_F(LogFilesTest, a_closed_log_is_no_longer_synced) {
  auto first = begin_log("1.log");
  EXPECT_TRUE(append(*first));
  first.reset();
  const auto second = begin_log("2.log");
  EXPECT_TRUE(logs_.sync().ok());
  EXPECT_EQ(disk_->take_synced(), Names{"2.log"});
}

TEST_F(LogFilesTest, a_failed_write_does_not_wait_for_a_sync_and_fails_the_next) {
  logs_.set_failure_handler([] { return true; });
  const auto log = begin_log("1.log");
  EXPECT_TRUE(append(*log));
  auto synced = sync_held_at("1.log");
  expect_no_wait([&] {
    disk_->fail_appends = true;
    EXPECT_TRUE(append(*log)) << "the failure is hidden from RocksDB";
  });
  EXPECT_TRUE(synced.get()) << "what was appended before this sync began is durable";
  EXPECT_FALSE(logs_.sync().ok());
  EXPECT_FALSE(logs_.sync().ok());
}

}  // namespace
}  // namespace trestle
