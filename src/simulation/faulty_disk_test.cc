// What the simulated disk keeps and loses, on which the other tests of this folder rely.
#include "simulation/faulty_disk.h"

#include <gtest/gtest.h>
#include <rocksdb/file_system.h>

namespace trestle {
namespace {

using rocksdb::IOStatus;

// A disk, and the few file system calls that the tests need.
struct DiskFixture {
  FaultyDisk disk;
  std::shared_ptr<rocksdb::FileSystem> mount = disk.mount();

  std::unique_ptr<rocksdb::FSWritableFile> create(const std::string& path) const {
    std::unique_ptr<rocksdb::FSWritableFile> file;
    EXPECT_TRUE(mount->NewWritableFile(path, {}, &file, nullptr).ok());
    return file;
  }
  static IOStatus append(rocksdb::FSWritableFile& file, const std::string& bytes) {
    return file.Append(bytes, {}, nullptr);
  }
  static IOStatus sync(rocksdb::FSWritableFile& file) { return file.Sync({}, nullptr); }
  void sync_folder() const {
    std::unique_ptr<rocksdb::FSDirectory> folder;
    ASSERT_TRUE(mount->NewDirectory("/data", {}, &folder, nullptr).ok());
    ASSERT_TRUE(folder->Fsync({}, nullptr).ok());
  }
  // Nothing if the file does not exist.
  std::optional<std::string> read(const std::string& path) const {
    std::unique_ptr<rocksdb::FSSequentialFile> file;
    if (!mount->NewSequentialFile(path, {}, &file, nullptr).ok()) return std::nullopt;
    char buffer[100];
    rocksdb::Slice bytes;
    EXPECT_TRUE(file->Read(sizeof(buffer), {}, &bytes, buffer, nullptr).ok());
    return bytes.ToString();
  }
};

TEST(FaultyDisk, a_power_loss_keeps_synced_bytes_and_at_most_a_prefix_of_the_rest) {
  bool lost_all = false;
  bool some_left = false;
  for (uint64_t seed = 0; seed < 50; ++seed) {
    DiskFixture db;
    const auto file = db.create("/data/1.log");
    ASSERT_TRUE(db.append(*file, "synced").ok());
    ASSERT_TRUE(db.sync(*file).ok());
    ASSERT_TRUE(db.append(*file, "unsynced").ok());
    db.sync_folder();
    db.disk.cut_power(seed);
    EXPECT_TRUE(db.disk.has_ended());
    db.mount = db.disk.mount();
    const auto left = db.read("/data/1.log");
    ASSERT_TRUE(left.has_value());
    EXPECT_TRUE(std::string("syncedunsynced").starts_with(*left)) << *left;
    EXPECT_GE(left->size(), 6u);
    lost_all = lost_all || left->size() == 6;
    some_left = some_left || left->size() > 6;
  }
  EXPECT_TRUE(lost_all);
  EXPECT_TRUE(some_left);
}

TEST(FaultyDisk, names_survive_a_power_loss_for_certain_only_if_their_folder_was_synced) {
  bool lost = false;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    DiskFixture db;
    const auto first = db.create("/data/first");
    ASSERT_TRUE(db.append(*first, "1").ok());
    ASSERT_TRUE(db.sync(*first).ok());
    db.sync_folder();
    ASSERT_TRUE(db.mount->RenameFile("/data/first", "/data/renamed", {}, nullptr).ok());
    const auto second = db.create("/data/second");
    ASSERT_TRUE(db.sync(*second).ok());
    db.disk.cut_power(seed);
    db.mount = db.disk.mount();
    // Either both renames survive or neither.
    EXPECT_NE(db.read("/data/first").has_value(), db.read("/data/renamed").has_value());
    EXPECT_EQ(db.read("/data/renamed").has_value(), db.read("/data/second").has_value());
    lost = lost || !db.read("/data/second").has_value();
  }
  EXPECT_TRUE(lost);
}

TEST(FaultyDisk, a_kill_keeps_everything_and_hides_what_the_dead_process_does_next) {
  DiskFixture db;
  const auto file = db.create("/data/1.log");
  ASSERT_TRUE(db.append(*file, "before").ok());
  db.disk.kill();
  ASSERT_TRUE(db.append(*file, "after").ok());
  db.mount = db.disk.mount();
  EXPECT_EQ(db.read("/data/1.log"), "before");
  EXPECT_FALSE(db.disk.has_ended());
}

TEST(FaultyDisk, a_fault_affects_its_kind_of_operation_and_file_only) {
  DiskFixture db;
  const auto log = db.create("/data/1.log");
  const auto table = db.create("/data/2.sst");
  db.disk.inject(
      {.operation = DiskOperation::kWrite, .file = FileKind::kLog, .skip = 1, .times = 2, .share_written = 0.5});
  EXPECT_TRUE(db.append(*log, "1234").ok());
  EXPECT_TRUE(db.append(*table, "1234").ok());
  const IOStatus failed = db.append(*log, "5678");
  EXPECT_TRUE(failed.IsNoSpace());
  EXPECT_TRUE(db.sync(*log).ok());
  EXPECT_EQ(db.read("/data/1.log"), "123456");
  EXPECT_FALSE(db.append(*log, "").ok());
  EXPECT_TRUE(db.append(*log, "x").ok());
  EXPECT_EQ(db.disk.faults(), 2u);
}

TEST(FaultyDisk, a_failed_sync_makes_nothing_durable) {
  DiskFixture db;
  const auto log = db.create("/data/1.log");
  db.sync_folder();
  ASSERT_TRUE(db.append(*log, "1234").ok());
  db.disk.inject({.operation = DiskOperation::kSync, .error = DiskError::kInputOutput});
  EXPECT_TRUE(db.sync(*log).IsIOError());
  size_t least = 4;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    db.disk.cut_power(seed);
    db.mount = db.disk.mount();
    least = std::min(least, db.read("/data/1.log")->size());
  }
  EXPECT_EQ(least, 0u);
}

TEST(FaultyDisk, a_power_loss_in_the_middle_of_a_write_leaves_at_most_its_share) {
  DiskFixture db;
  const auto log = db.create("/data/1.log");
  db.sync_folder();
  db.disk.inject({.operation = DiskOperation::kWrite, .error = DiskError::kPowerLoss, .share_written = 0.5, .seed = 3});
  EXPECT_TRUE(db.append(*log, "12345678").ok());  // may fail
  EXPECT_TRUE(db.disk.has_ended());
  db.mount = db.disk.mount();
  EXPECT_TRUE(std::string("1234").starts_with(*db.read("/data/1.log")));
}

}  // namespace
}  // namespace trestle
