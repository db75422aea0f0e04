// Group commit: tracks which commits are durable, and notifies waiters when theirs is.
//
// A commit gets its number before it is written and is finished afterwards. One thread syncs whenever there is a
// waiter. All commits that finished before a sync starts are durable when it ends, so one sync serves every waiter that
// arrived during the previous sync.
//
// Before a commit becomes visible, it marks the partitions that it changes, so that readers can tell which commits they
// may have seen. Marks are kept in a fixed table of stripes, indexed by partition hash. Two partitions may share a
// stripe; then a reader may wait longer than necessary. Thread-safe.
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
    std::function<Result<void>()> sync;  // makes everything written so far durable
    // Called after a failure, while no commit is in progress: tries to make the store writable again, then syncs.
    std::function<Result<void>()> recover;
    // Starts the thread that calls `recover`. Throws std::system_error if the system has no more threads.
    std::function<std::thread(std::function<void()>)> start_thread = [](std::function<void()> run) {
      return std::thread(std::move(run));
    };
  };
  // The first commit gets number `last` + 1. Throws std::system_error if the system has no more threads.
  explicit DurabilityTracker(Disk disk, uint64_t last = 0);
  ~DurabilityTracker();

  // The steps of a commit: begin(), mark() each changed partition, write, finish(). A failed write must not be visible
  // to any reader.
  uint64_t begin();
  void mark(uint64_t commit, uint32_t partition_hash);
  void finish(uint64_t commit, bool written);

  uint64_t seen(uint32_t partition_hash) const;
  uint64_t seen() const { return begun_.load(std::memory_order_acquire); }
  // Every commit up to this one is finished, hence visible to readers that start now.
  uint64_t finished() const { return finished_.load(std::memory_order_acquire); }

  uint64_t durable() const { return durable_.load(std::memory_order_acquire); }
  Result<void> wait(uint64_t commit);
  // For background work: waits this long for a sync that other waiters request, and requests one itself only then.
  Result<void> wait_patiently(uint64_t commit, std::chrono::microseconds patience);
  void when(uint64_t commit, std::move_only_function<void(Result<void>)> then);
  // Returns when every callback that was passed to when() before has run. Must not be called on the syncing thread.
  void wait_for_callbacks();

  // For metrics: the number of waiters now, and the number and total duration of syncs.
  size_t waiting() const {
    MutexLock lock(mutex_);
    return waiters_.size();
  }
  uint64_t sync_count() const { return syncs_.load(std::memory_order_relaxed); }
  uint64_t sync_us() const { return sync_us_.load(std::memory_order_relaxed); }

  // Reports that a write has failed: failed() is true from now on, until recovery succeeds.
  void report_failure(const Error& error);
  bool failed() const { return failed_.load(std::memory_order_seq_cst); }
  Error failure_error() const;

 private:
  static constexpr size_t kStripes = size_t{1} << 16;
  static constexpr size_t kRing = 4096;  // how far a commit's number may be ahead of the oldest unfinished one

  struct Waiter {
    uint64_t commit;
    std::move_only_function<void(Result<void>)> then;
  };

  void run();
  void sync_once();
  Result<void> recover();
  // Returns when every commit that had begun before this call is finished. Once failed(), later commits write nothing.
  void wait_for_commits() const;
  void fail_waiters(const Error& error);
  bool needs_no_wait(uint64_t commit) const;
  std::vector<Waiter> take_waiters(uint64_t up_to);
  void finish_callbacks();

  const Disk disk_;

  mutable Mutex mutex_{kShortRank};
  ConditionVariable wake_;
  std::vector<Waiter> waiters_ GUARDED_BY(mutex_);
  ConditionVariable called_;
  bool calling_ GUARDED_BY(mutex_) = false;  // the thread has taken waiters and is running their callbacks
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
