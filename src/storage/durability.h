// Group commit: tracks which commits are durable, and notifies those who wait for one.
//
// A commit is numbered before it is written and finished after. One thread syncs whenever somebody waits: all commits
// finished before a sync starts are durable when it ends, so one sync serves all who arrived meanwhile.
//
// So that a reader can tell which commits it may have seen, a commit marks the partitions it will change before it
// becomes visible (by a hash, in a fixed table of stripes: two partitions may share a stripe, at the cost of waiting
// longer). Thread-safe.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "base/mutex.h"
#include "model/error.h"
#include "storage/lock_ranks.h"

namespace trestle {

class DurabilityTracker {
 public:
  struct Disk {
    std::function<Result<void>()> sync;  // makes all that was written durable
    // After a failure: tries to put the disk in order, and does what sync does. No commit is under way.
    std::function<Result<void>()> recover;
  };
  // Commits are numbered from `last` + 1.
  explicit DurabilityTracker(Disk disk, uint64_t last = 0);
  ~DurabilityTracker();

  // A commit: begin, mark what it changes, write, finish. A failed write is not visible to any reader.
  uint64_t begin();
  void mark(uint64_t commit, uint32_t partition_hash);
  void finish(uint64_t commit, bool written);

  uint64_t seen(uint32_t partition_hash) const;
  uint64_t seen() const { return begun_.load(std::memory_order_acquire); }
  // Every commit up to this one is finished, hence visible to readers that start now.
  uint64_t finished() const { return finished_.load(std::memory_order_acquire); }

  uint64_t durable() const { return durable_.load(std::memory_order_acquire); }
  Result<void> wait(uint64_t commit);
  // For background work: a sync that others ask for within this time covers the commit, too. Asks for one after it.
  Result<void> wait_patiently(uint64_t commit, std::chrono::microseconds patience);
  void when(uint64_t commit, std::move_only_function<void(Result<void>)> then);
  // Returns when everything passed to when() before has been called. Must not be called by the syncing thread.
  void wait_for_callbacks();

  // For metrics: who waits now, how often the disk synced, and how long that took in all.
  size_t waiting() const {
    MutexLock lock(mutex_);
    return waiters_.size();
  }
  uint64_t sync_count() const { return syncs_.load(std::memory_order_relaxed); }
  uint64_t sync_us() const { return sync_us_.load(std::memory_order_relaxed); }

  // A write failed: from now on failed() is true, until recovery succeeds.
  void report_failure(const Error& error);
  bool failed() const { return failed_.load(std::memory_order_seq_cst); }
  Error failure_error() const;

 private:
  static constexpr size_t kStripes = size_t{1} << 16;
  static constexpr size_t kRing = 4096;  // how far a commit may be ahead of an unfinished one

  struct Waiter {
    uint64_t commit;
    std::move_only_function<void(Result<void>)> then;
  };

  void run();
  void sync_once();
  Result<void> recover();
  // Returns when every commit that had begun is finished. Once failed(), later ones are not written.
  void wait_for_commits() const;
  void refuse_waiters(const Error& error);
  bool is_settled(uint64_t commit) const;
  std::vector<Waiter> take_waiters(uint64_t up_to);
  void end_calling();

  const Disk disk_;

  mutable Mutex mutex_{kShortRank};
  ConditionVariable wake_;
  std::vector<Waiter> waiters_ GUARDED_BY(mutex_);
  ConditionVariable called_;
  bool calling_ GUARDED_BY(mutex_) = false;  // the thread has taken waiters and is calling them
  bool stopping_ GUARDED_BY(mutex_) = false;
  Error error_ GUARDED_BY(mutex_);

  std::atomic<bool> failed_{false};
  std::atomic<uint64_t> begun_;
  std::atomic<uint64_t> finished_;
  std::atomic<uint64_t> written_;  // the newest written commit, which readers may have seen
  std::atomic<uint64_t> durable_;
  std::atomic<uint64_t> syncs_{0};
  std::atomic<uint64_t> sync_us_{0};
  std::array<std::atomic<uint64_t>, kRing> ring_{};
  const std::unique_ptr<std::array<std::atomic<uint64_t>, kStripes>> stripes_;

  std::thread thread_;  // last: it uses all of the above
};

}  // namespace trestle
