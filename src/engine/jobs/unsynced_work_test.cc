#include "engine/jobs/unsynced_work.h"

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <thread>

#include "base/scratch_folder.h"
#include "storage/disk/failing_disk_for_test.h"
#include "storage/store_for_test.h"

namespace trestle {
namespace {

constexpr size_t kLittle = 100;
constexpr size_t kMuch = size_t{1} << 20;

class UnsyncedWorkTest : public ::testing::Test {
 protected:
  uint64_t commit() const {
    Batch batch(*store_);
    batch.put(Space::kCatalog, "key", "value");
    return store_->commit(batch).value_or(0);
  }
  // Runs the function as a step of a job.
  static void in_step(const std::function<void(JobRun&)>& step) {
    Jobs jobs;
    jobs.add({.name = "test", .threaded = false},
             [&](JobRun& run) {
               step(run);
               return JobOutcome::idle();
             })
        .drain();
  }

  const ScratchFolder folder_;
  const std::shared_ptr<FailingDisk> disk_ = std::make_shared<FailingDisk>();
  const std::unique_ptr<Store> store_ = open_store(StoreOptions{.folder = folder_.path(), .file_system = disk_});
  UnsyncedWork unsynced_;
};

TEST_F(UnsyncedWorkTest, little_data_is_not_synced_without_waiters) {
  in_step([&](JobRun& run) {
    const uint64_t number = commit();
    unsynced_.add(*store_, number, kLittle, run);
    EXPECT_TRUE(unsynced_.wait(*store_, run).has_value());
    EXPECT_LT(store_->durable_commit(), number);
  });
}

TEST_F(UnsyncedWorkTest, much_data_is_synced_even_if_the_last_commit_was_empty) {
  in_step([&](JobRun& run) {
    const uint64_t number = commit();
    unsynced_.add(*store_, number, kLittle, run);
    unsynced_.add(*store_, 0, kMuch, run);
    EXPECT_TRUE(unsynced_.wait(*store_, run).has_value());
    EXPECT_GE(store_->durable_commit(), number);
  });
}

TEST_F(UnsyncedWorkTest, every_commit_is_synced_while_clients_wait) {
  // No commit becomes durable before this one is finished.
  Batch first(*store_);
  const uint64_t begun = store_->begin_commit();
  const uint64_t of_client = commit();
  store_->when_durable(of_client, [](Result<void>) {});
  EXPECT_TRUE(store_->has_waiters());
  in_step([&](JobRun& run) {
    const uint64_t number = commit();
    unsynced_.add(*store_, number, kLittle, run);
    EXPECT_TRUE(store_->commit(first, begun).has_value());
    EXPECT_TRUE(unsynced_.wait(*store_, run).has_value());
    EXPECT_GE(store_->durable_commit(), number);
  });
}

TEST_F(UnsyncedWorkTest, a_failing_disk_fails_the_job_until_it_recovers) {
  disk_->fail_syncs = true;
  uint64_t number = 0;
  in_step([&](JobRun& run) {
    number = commit();
    unsynced_.add(*store_, number, kMuch, run);
    EXPECT_FALSE(unsynced_.wait(*store_, run).has_value());
    EXPECT_FALSE(unsynced_.wait(*store_, run).has_value());
  });
  disk_->fail_syncs = false;
  in_step([&](JobRun& run) {
    while (!unsynced_.wait(*store_, run).has_value()) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    EXPECT_GE(store_->durable_commit(), number);
  });
}

}  // namespace
}  // namespace trestle
