#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "base/scratch_folder.h"
#include "storage/disk/failing_disk_for_test.h"
#include "storage/store.h"

namespace trestle {
namespace {

std::string recovery_key(int writer, int n) {
  const Value value = Value::string(std::to_string(writer) + "/" + std::to_string(n));
  const ValueView hash[] = {value};
  return encode_partition(1, hash);
}

struct FailingStore {
  ScratchFolder folder;
  std::shared_ptr<FailingDisk> disk = std::make_shared<FailingDisk>();  // shared with the store
  std::unique_ptr<Store> store;

  explicit FailingStore(Durability durability = Durability::kSync) { open(durability); }
  void open(Durability durability = Durability::kSync) {
    store.reset();
    auto opened = Store::open({.folder = folder.path(), .durability = durability, .file_system = disk});
    ASSERT_TRUE(opened.has_value()) << opened.error().message;
    store = std::move(*opened);
  }
  bool put(const std::string& key) const {
    Batch batch(*store);
    batch.put(Space::kItems, key, "value");
    const auto commit = store->commit(batch);
    return commit.has_value() && store->wait_durable(*commit).has_value();
  }
  bool has(const std::string& key) const {
    PinnedBytes value;
    return *store->get(Space::kItems, key, value);
  }
  // Retries until the store has recovered.
  void put_with_retries(const std::string& key) const {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (!put(key)) ASSERT_LT(std::chrono::steady_clock::now(), deadline) << "the store does not recover";
  }
};

// If there is nothing to flush, RocksDB resumes at once with its old log, to which it must not write again.
TEST(StoreRecovery, the_store_recovers_from_a_failed_write_with_empty_buffers) {
  for (const bool is_full : {true, false}) {
    FailingStore db;
    db.disk->is_full = is_full;
    ASSERT_TRUE(db.put(recovery_key(0, 0)));
    for (int i = 1; i <= 3; ++i) {  // after the first recovery, all buffers are empty
      db.disk->fail_writes = true;
      EXPECT_FALSE(db.put(recovery_key(1, i)));
      EXPECT_TRUE(db.has(recovery_key(0, 0))) << "reads go on";
      db.disk->fail_writes = false;
      db.put_with_retries(recovery_key(0, i));
    }
    db.open();
    for (int i = 0; i <= 3; ++i) EXPECT_TRUE(db.has(recovery_key(0, i))) << i;
  }
}

TEST(StoreRecovery, the_store_recovers_from_a_failed_sync_with_any_error) {
  for (const bool is_full : {true, false}) {
    FailingStore db;
    db.disk->is_full = is_full;
    ASSERT_TRUE(db.put(recovery_key(0, 0)));
    db.disk->fail_syncs = true;
    EXPECT_FALSE(db.put(recovery_key(0, 1)));
    db.disk->fail_syncs = false;
    db.put_with_retries(recovery_key(0, 2));
    EXPECT_TRUE(db.has(recovery_key(0, 1))) << "it was visible, and has become durable";
    db.open();
    for (int i = 0; i <= 2; ++i) EXPECT_TRUE(db.has(recovery_key(0, i))) << i;
  }
}

TEST(StoreRecovery, the_store_recovers_a_buffered_log) {
  FailingStore db(Durability::kRelaxed);
  ASSERT_TRUE(db.put(recovery_key(0, 0)));
  db.disk->fail_writes = true;
  EXPECT_FALSE(db.put(recovery_key(1, 0)));
  db.disk->fail_writes = false;
  db.put_with_retries(recovery_key(0, 1));
  db.open();
  EXPECT_TRUE(db.has(recovery_key(0, 0)));
  EXPECT_TRUE(db.has(recovery_key(0, 1)));
}

TEST(StoreRecovery, a_store_closes_even_if_its_log_cannot_be_written) {
  for (const Durability durability : {Durability::kSync, Durability::kRelaxed}) {
    FailingStore db(durability);
    ASSERT_TRUE(db.put(recovery_key(0, 0)));
    Batch unanswered(*db.store);
    unanswered.put(Space::kItems, recovery_key(0, 1), "value");
    ASSERT_TRUE(db.store->commit(unanswered).has_value());
    db.disk->fail_writes = true;
    db.store.reset();
    db.disk->fail_writes = false;
    db.open(durability);
    EXPECT_TRUE(db.has(recovery_key(0, 0)));
  }
}

// RocksDB rejects every write after such a failure. A write that arrives when the disk works again must not fail for
// that reason.
TEST(StoreRecovery, the_store_recovers_from_a_failed_flush_before_the_next_write) {
  for (const bool is_full : {true, false}) {
    FailingStore db;
    db.disk->is_full = is_full;
    ASSERT_TRUE(db.put(recovery_key(0, 0)));
    db.disk->fail_data_files = true;
    EXPECT_FALSE(db.store->compact(Space::kItems, {.begin = {}, .end = "\xff"}).has_value());
    db.disk->fail_data_files = false;
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (!db.store->sync().has_value()) {
      ASSERT_LT(std::chrono::steady_clock::now(), deadline) << "the store does not recover";
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    EXPECT_TRUE(db.put(recovery_key(0, 1)));
    db.open();
    for (int i = 0; i <= 1; ++i) EXPECT_TRUE(db.has(recovery_key(0, i))) << i;
  }
}

TEST(StoreRecovery, failures_lose_no_acknowledged_write) {
  constexpr int kWriters = 4;
  FailingStore db;
  std::atomic<bool> stop{false};
  std::vector<std::vector<std::string>> acknowledged(kWriters);
  std::vector<std::thread> writers;
  for (int writer = 0; writer < kWriters; ++writer) {
    writers.emplace_back([&, writer] {
      for (int n = 0; !stop; ++n) {
        const std::string key = recovery_key(writer, n);
        if (db.put(key)) acknowledged[static_cast<size_t>(writer)].push_back(key);
      }
    });
  }
  for (int i = 0; i < 6; ++i) {
    db.put_with_retries(recovery_key(kWriters, i));
    (i % 2 == 0 ? db.disk->fail_writes : db.disk->fail_syncs) = true;
    while (db.put(recovery_key(kWriters + 1, i))) {
    }
    db.disk->fail_writes = false;
    db.disk->fail_syncs = false;
  }
  db.put_with_retries(recovery_key(kWriters, 6));
  stop = true;
  for (auto& writer : writers) writer.join();
  db.open();
  for (const auto& keys : acknowledged) {
    EXPECT_FALSE(keys.empty());
    for (const std::string& key : keys) ASSERT_TRUE(db.has(key));
  }
}

// RocksDB 7.8.3 aborts the program if it fails to begin a log while a write buffer contains an erased range, and then
// retries.
TEST(StoreRecovery, dropping_ranges_during_failing_writes_does_not_abort_the_program) {
  for (const Durability durability : {Durability::kSync, Durability::kRelaxed}) {
    FailingStore db(durability);
    std::atomic<bool> stop{false};
    const auto drop = [&](uint32_t keyspace) {
      const Value value = Value::string("a");
      const ValueView hash[] = {value};
      const std::string begin = encode_partition(keyspace, hash);
      while (!stop) (void)db.store->drop_range(Space::kItems, {.begin = begin, .end = begin + "\xff"});
    };
    std::thread drops(drop, 2);
    std::vector<std::thread> writers;
    for (int writer = 0; writer < 3; ++writer) {
      writers.emplace_back([&, writer] {
        for (int n = 0; !stop; ++n) db.put(recovery_key(writer, n));
      });
    }
    for (int i = 0; i < 4; ++i) {
      db.put_with_retries(recovery_key(3, i));
      db.disk->fail_writes = true;
      while (db.put(recovery_key(4, i))) {
      }
      db.disk->fail_writes = false;
    }
    db.put_with_retries(recovery_key(5, 0));
    stop = true;
    drops.join();
    for (auto& writer : writers) writer.join();
    db.open(durability);
    for (int i = 0; i < 4; ++i) EXPECT_TRUE(db.has(recovery_key(3, i))) << i;
  }
}

}  // namespace
}  // namespace trestle
