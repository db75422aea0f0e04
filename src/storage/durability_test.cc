#include "storage/durability.h"

#include <gtest/gtest.h>

#include <future>

namespace trestle {
namespace {

// A disk whose syncs block until the test allows them.
class FakeDisk {
 public:
  DurabilityTracker::Disk disk() {
    return {.sync = [this] { return sync(); },
            .recover = [this]() -> Result<void> {
              ++recoveries;
              return outcome();
            }};
  }
  void allow(int more) {
    MutexLock lock(mutex_);
    allowed_ += more;
    changed_.notify_all();
  }
  void fail() { broken = true; }
  void repair() { broken = false; }
  // Waits until a sync has begun and is blocked at the gate.
  void wait_for_sync() {
    MutexLock lock(mutex_);
    while (waiting_ == 0) changed_.wait(mutex_);
  }

  std::atomic<int> syncs{0};
  std::atomic<int> recoveries{0};
  std::atomic<bool> broken{false};

 private:
  Result<void> sync() {
    MutexLock lock(mutex_);
    ++waiting_;
    changed_.notify_all();
    while (allowed_ == 0) changed_.wait(mutex_);
    --waiting_;
    --allowed_;
    ++syncs;
    return outcome();
  }
  Result<void> outcome() {
    if (broken) return failure(ErrorCode::kServiceUnavailable, "disk full");
    return {};
  }

  Mutex mutex_;
  ConditionVariable changed_;
  int allowed_ GUARDED_BY(mutex_) = 0;
  int waiting_ GUARDED_BY(mutex_) = 0;
};

uint64_t write(DurabilityTracker& tracker, uint32_t partition = 0) {
  const uint64_t commit = tracker.begin();
  tracker.mark(commit, partition);
  tracker.finish(commit, true);
  return commit;
}

std::future<bool> notification(DurabilityTracker& tracker, uint64_t commit) {
  auto notified = std::make_shared<std::promise<bool>>();
  auto future = notified->get_future();
  tracker.when(commit, [notified](Result<void> result) { notified->set_value(result.has_value()); });
  return future;
}

bool is_ready(std::future<bool>& future) {
  return future.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
}

TEST(Durability, callbacks_run_only_after_the_sync_has_ended) {
  FakeDisk disk;
  DurabilityTracker tracker(disk.disk());
  auto notified = notification(tracker, write(tracker));
  disk.wait_for_sync();
  EXPECT_FALSE(is_ready(notified));
  EXPECT_EQ(tracker.durable(), 0u);
  disk.allow(1);
  EXPECT_TRUE(notified.get());
  EXPECT_EQ(tracker.durable(), 1u);
}

TEST(Durability, commits_that_finish_during_a_sync_share_the_next_one) {
  FakeDisk disk;
  DurabilityTracker tracker(disk.disk());
  auto first = notification(tracker, write(tracker));
  disk.wait_for_sync();
  std::vector<std::future<bool>> later;
  for (int i = 0; i < 50; ++i) later.push_back(notification(tracker, write(tracker)));
  disk.allow(1);
  EXPECT_TRUE(first.get());
  for (auto& notified : later) EXPECT_FALSE(is_ready(notified));
  disk.allow(1);
  for (auto& notified : later) EXPECT_TRUE(notified.get());
  EXPECT_EQ(disk.syncs, 2);
}

TEST(Durability, a_patient_waiter_shares_the_sync_of_another) {
  FakeDisk disk;
  DurabilityTracker tracker(disk.disk());
  const uint64_t commit = write(tracker);
  auto patient =
      std::async(std::launch::async, [&] { return tracker.wait_patiently(commit, std::chrono::hours(1)).has_value(); });
  auto notified = notification(tracker, write(tracker));
  disk.allow(1);
  EXPECT_TRUE(notified.get());
  EXPECT_TRUE(patient.get());
  EXPECT_EQ(disk.syncs, 1);
}

TEST(Durability, a_patient_waiter_requests_a_sync_after_its_patience) {
  FakeDisk disk;
  DurabilityTracker tracker(disk.disk());
  disk.allow(1);
  EXPECT_TRUE(tracker.wait_patiently(write(tracker), std::chrono::milliseconds(1)).has_value());
  EXPECT_EQ(disk.syncs, 1);
}

TEST(Durability, an_unfinished_commit_delays_the_durability_of_later_ones) {
  FakeDisk disk;
  DurabilityTracker tracker(disk.disk());
  const uint64_t slow = tracker.begin();
  auto notified = notification(tracker, write(tracker));
  disk.wait_for_sync();
  disk.allow(1);
  disk.wait_for_sync();  // the first sync ended without covering the commit, and a second began
  EXPECT_FALSE(is_ready(notified));
  tracker.finish(slow, true);
  disk.allow(2);
  EXPECT_TRUE(notified.get());
  EXPECT_GE(tracker.durable(), 2u);
}

TEST(Durability, a_reader_sees_the_newest_commit_of_its_partition_only) {
  FakeDisk disk;
  DurabilityTracker tracker(disk.disk());
  const uint64_t one = write(tracker, 1);
  const uint64_t two = write(tracker, 2);
  EXPECT_EQ(tracker.seen(1), one);
  EXPECT_EQ(tracker.seen(2), two);
  EXPECT_EQ(tracker.seen(3), 0u);
  EXPECT_EQ(tracker.seen(), two);
}

TEST(Durability, a_failed_sync_fails_all_waiters_and_recovery_accepts_writes_again) {
  FakeDisk disk;
  DurabilityTracker tracker(disk.disk());
  disk.fail();
  auto notified = notification(tracker, write(tracker));
  disk.allow(1);
  EXPECT_FALSE(notified.get());
  EXPECT_TRUE(tracker.failed());
  EXPECT_EQ(tracker.failure_error().message, "disk full");
  EXPECT_EQ(tracker.durable(), 0u);
  disk.repair();
  while (tracker.failed()) std::this_thread::yield();
  EXPECT_GE(disk.recoveries, 1);
  disk.allow(1);
  EXPECT_TRUE(tracker.wait(write(tracker)).has_value());
}

TEST(Durability, a_failed_write_does_not_delay_readers) {
  FakeDisk disk;
  DurabilityTracker tracker(disk.disk());
  disk.fail();
  const uint64_t commit = tracker.begin();
  tracker.mark(commit, 5);
  tracker.finish(commit, false);
  tracker.report_failure({.code = ErrorCode::kServiceUnavailable, .message = "disk full"});
  EXPECT_TRUE(tracker.wait(tracker.seen(5)).has_value());
  EXPECT_TRUE(tracker.failed());
}

TEST(Durability, a_delayed_commit_is_not_lapped) {
  DurabilityTracker tracker({.sync = [] { return Result<void>{}; }, .recover = [] { return Result<void>{}; }});
  const uint64_t slow = tracker.begin();
  std::thread others([&] {
    for (int i = 0; i < 20000; ++i) write(tracker);
  });
  while (tracker.seen() < slow + 4000) std::this_thread::yield();
  for (int i = 0; i < 1000; ++i) std::this_thread::yield();
  tracker.finish(slow, true);
  others.join();
  EXPECT_EQ(tracker.finished(), slow + 20000);
}

TEST(Durability, no_callback_is_lost_with_many_threads) {
  DurabilityTracker tracker({.sync = [] { return Result<void>{}; }, .recover = [] { return Result<void>{}; }});
  std::atomic<int> notified{0};
  constexpr int kThreads = 4;
  constexpr int kWrites = 5000;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < kWrites; ++i) {
        const uint64_t commit = write(tracker, static_cast<uint32_t>(t * 7 + i));
        tracker.when(commit, [&notified, &tracker, commit](Result<void> result) {
          EXPECT_TRUE(result.has_value());
          EXPECT_GE(tracker.durable(), commit);
          ++notified;
        });
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_TRUE(tracker.wait(tracker.seen()).has_value());
  while (notified < kThreads * kWrites) std::this_thread::yield();
}

TEST(Durability, a_recovery_that_does_not_return_blocks_no_waiter) {
  std::promise<void> leave;
  auto left = leave.get_future();
  const auto no_room = [] { return failure(ErrorCode::kServiceUnavailable, "disk full"); };
  DurabilityTracker tracker({.sync = [&]() -> Result<void> { return no_room(); },
                             .recover = [&]() -> Result<void> {
                               left.wait();
                               return {};
                             }});
  const uint64_t first = write(tracker);
  EXPECT_FALSE(tracker.wait(first).has_value());  // its sync fails, and the recovery begins
  EXPECT_FALSE(tracker.wait(write(tracker)).has_value());
  EXPECT_LT(tracker.durable(), first);
  leave.set_value();
  while (tracker.failed()) std::this_thread::yield();
  EXPECT_GE(tracker.durable(), first);
}

TEST(Durability, recovery_is_tried_again_if_no_thread_can_be_started) {
  std::atomic<int> refusals{3};
  FakeDisk fake;
  DurabilityTracker::Disk disk = fake.disk();
  disk.start_thread = [&](std::function<void()> run) {
    if (refusals-- > 0) throw std::system_error(std::make_error_code(std::errc::resource_unavailable_try_again));
    return std::thread(std::move(run));
  };
  DurabilityTracker tracker(std::move(disk));
  fake.fail();
  auto first = notification(tracker, write(tracker));
  fake.allow(1);
  EXPECT_FALSE(first.get());
  fake.repair();
  // Waiters are answered meanwhile.
  while (refusals > 0) (void)tracker.wait(write(tracker));
  while (tracker.failed()) std::this_thread::yield();
  EXPECT_EQ(tracker.durable(), tracker.finished());
}

TEST(Durability, wait_for_callbacks_returns_after_the_last_callback) {
  FakeDisk disk;
  DurabilityTracker tracker(disk.disk());
  std::promise<void> entered;
  std::promise<void> leave;
  std::atomic<bool> left{false};
  tracker.when(write(tracker), [&](const Result<void>&) {
    entered.set_value();
    leave.get_future().wait();
    left = true;
  });
  disk.allow(1);
  entered.get_future().wait();
  auto waited = std::async(std::launch::async, [&] {
    tracker.wait_for_callbacks();
    return left.load();
  });
  EXPECT_EQ(waited.wait_for(std::chrono::milliseconds(20)), std::future_status::timeout);
  leave.set_value();
  EXPECT_TRUE(waited.get());
}

// If neither of two threads saw that the other had finished, the later commit would count as unfinished until another
// commit finished: a client would wait for it, and readers of streams would not see it.
TEST(Durability, commits_that_finish_simultaneously_are_both_counted) {
  FakeDisk disk;
  DurabilityTracker tracker(disk.disk());
  constexpr int kRounds = 100'000;
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(1);
  std::atomic<uint64_t> arrived{0};
  std::atomic<bool> stops{false};
  std::atomic<int> uncounted{0};
  const auto meet = [&](uint64_t meetings) {
    arrived.fetch_add(1);
    for (int spins = 0; arrived.load() < 2 * meetings; ++spins) {
      if (spins > 1'000) std::this_thread::yield();
    }
  };
  const auto commit = [&](bool looks) {
    uint64_t meetings = 0;
    for (int i = 0; i < kRounds; ++i) {
      const uint64_t number = tracker.begin();
      meet(++meetings);
      tracker.finish(number, true);
      meet(++meetings);
      if (looks) {
        if (tracker.finished() != tracker.seen()) ++uncounted;
        stops = std::chrono::steady_clock::now() > deadline;
      }
      meet(++meetings);
      if (stops) break;
    }
  };
  std::thread other([&] { commit(false); });
  commit(true);
  other.join();
  EXPECT_EQ(uncounted, 0);
  EXPECT_EQ(tracker.finished(), tracker.seen());
}

}  // namespace
}  // namespace trestle
