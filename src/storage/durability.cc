#include "storage/durability.h"

#include <fmt/format.h>
#include <pthread.h>

#include <algorithm>
#include <chrono>
#include <system_error>

namespace trestle {
namespace {

constexpr auto kRecoverySlow = std::chrono::seconds(30);
constexpr const char* kRestartNeeded =
    "The store has not recovered from a disk failure: writes fail until it recovers or the server is restarted. "
    "Acknowledged writes are safe";

void raise(std::atomic<uint64_t>& highest, uint64_t value) {
  uint64_t current = highest.load(std::memory_order_relaxed);
  while (current < value && !highest.compare_exchange_weak(current, value, std::memory_order_release)) {
  }
}

}  // namespace

DurabilityTracker::DurabilityTracker(Disk disk, uint64_t last)
    : disk_(std::move(disk)),
      begun_(last),
      finished_(last),
      written_(last),
      durable_(last),
      stripes_(std::make_unique<std::array<std::atomic<uint64_t>, kStripes>>()),
      thread_([this] { run(); }) {}

DurabilityTracker::~DurabilityTracker() {
  {
    MutexLock lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  thread_.join();
}

uint64_t DurabilityTracker::begin() {
  // Sequentially consistent with the caller's check of failed(): see wait_for_commits().
  const uint64_t commit = begun_.fetch_add(1, std::memory_order_seq_cst) + 1;
  // Must not lap a thread that is delayed in the middle of a commit: its slot in the ring is still to be filled.
  while (commit - finished() >= kRing) std::this_thread::yield();
  return commit;
}

void DurabilityTracker::mark(uint64_t commit, uint32_t partition_hash) {
  raise((*stripes_)[partition_hash % kStripes], commit);
}

void DurabilityTracker::finish(uint64_t commit, bool written) {
  if (written) raise(written_, commit);
  // The thread that closes a gap advances finished_ past all later commits that are finished already. This needs
  // sequential consistency: of two threads that finish adjacent commits at once, at least one must see the other's.
  ring_[commit % kRing].store(commit, std::memory_order_seq_cst);
  uint64_t finished = finished_.load(std::memory_order_seq_cst);
  while (ring_[(finished + 1) % kRing].load(std::memory_order_seq_cst) == finished + 1) {
    if (finished_.compare_exchange_weak(finished, finished + 1, std::memory_order_seq_cst)) ++finished;
  }
}

uint64_t DurabilityTracker::seen(uint32_t partition_hash) const {
  return (*stripes_)[partition_hash % kStripes].load(std::memory_order_acquire);
}

Result<void> DurabilityTracker::wait(uint64_t commit) {
  if (needs_no_wait(commit)) return {};
  Mutex mutex;
  ConditionVariable done;
  std::optional<Result<void>> outcome;
  when(commit, [&](Result<void> result) {
    MutexLock lock(mutex);
    outcome = std::move(result);
    done.notify_one();
  });
  MutexLock lock(mutex);
  while (!outcome) done.wait(mutex);
  return std::move(*outcome);
}

Result<void> DurabilityTracker::wait_patiently(uint64_t commit, std::chrono::microseconds patience) {
  const auto until = std::chrono::steady_clock::now() + patience;
  {
    MutexLock lock(mutex_);
    while (!needs_no_wait(commit)) {
      const auto left = until - std::chrono::steady_clock::now();
      if (left <= left.zero()) break;
      called_.wait_for(mutex_, left);
    }
  }
  return wait(commit);
}

// Whether responses that depend on this commit need not wait: it is durable, or no commit that is not durable was ever
// written. Because of the second case, reads are still answered while the disk rejects writes.
bool DurabilityTracker::needs_no_wait(uint64_t commit) const {
  if (durable() >= commit) return true;
  const uint64_t begun = begun_.load(std::memory_order_acquire);
  return finished_.load(std::memory_order_acquire) == begun && durable() >= written_.load(std::memory_order_acquire);
}

void DurabilityTracker::when(uint64_t commit, std::move_only_function<void(Result<void>)> then) {
  if (needs_no_wait(commit)) {
    then({});
    return;
  }
  {
    MutexLock lock(mutex_);
    waiters_.push_back({commit, std::move(then)});
    if (waiters_.size() > 1) return;  // the thread is awake, or about to be
  }
  wake_.notify_one();
}

void DurabilityTracker::report_failure(const Error& error) {
  {
    MutexLock lock(mutex_);
    error_ = error;
    failed_.store(true, std::memory_order_seq_cst);
  }
  wake_.notify_one();
}

Error DurabilityTracker::failure_error() const {
  MutexLock lock(mutex_);
  return error_;
}

void DurabilityTracker::run() {
  pthread_setname_np(pthread_self(), "sync");
  for (;;) {
    {
      MutexLock lock(mutex_);
      while (waiters_.empty() && !stopping_ && !failed_.load(std::memory_order_relaxed)) wake_.wait(mutex_);
      if (stopping_ && waiters_.empty()) return;
      // Pause between attempts to recover.
      if (failed_.load(std::memory_order_relaxed) && waiters_.empty()) {
        wake_.wait_for(mutex_, std::chrono::milliseconds(500));
      }
    }
    sync_once();
  }
}

void DurabilityTracker::sync_once() {
  const uint64_t target = finished_.load(std::memory_order_acquire);
  const bool was_failed = failed();
  const auto began = std::chrono::steady_clock::now();
  const Result<void> synced = was_failed ? recover() : disk_.sync();
  const auto took = std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - began);
  syncs_.fetch_add(1, std::memory_order_relaxed);
  sync_us_.fetch_add(static_cast<uint64_t>(took.count()), std::memory_order_relaxed);
  if (synced.has_value()) {
    durable_.store(std::max(durable(), target), std::memory_order_release);
    if (was_failed) failed_.store(false, std::memory_order_release);
    for (Waiter& waiter : take_waiters(target)) waiter.then({});
    finish_callbacks();
  } else {
    report_failure(synced.error());
    fail_waiters(synced.error());
  }
}

// Recovers on a separate thread, because RocksDB may never return from an attempt
// (docs/decisions/0015-fault-simulation.md), and this thread must keep answering waiters. If no thread can be started,
// this attempt has failed, and the next one follows.
Result<void> DurabilityTracker::recover() {
  Mutex mutex;
  ConditionVariable done;
  std::optional<Result<void>> outcome;
  std::thread attempt;
  try {
    attempt = disk_.start_thread([&] {
      wait_for_commits();
      Result<void> result = disk_.recover();
      MutexLock lock(mutex);
      outcome = std::move(result);
      done.notify_one();
    });
  } catch (const std::system_error&) {
    return std::unexpected(failure_error());
  }
  const auto began = std::chrono::steady_clock::now();
  bool is_slow = false;
  for (bool is_done = false; !is_done;) {
    {
      MutexLock lock(mutex);
      if (!outcome) done.wait_for(mutex, std::chrono::milliseconds(500));
      is_done = outcome.has_value();
    }
    if (is_done) break;
    if (!is_slow && std::chrono::steady_clock::now() - began > kRecoverySlow) {
      is_slow = true;
      fmt::print(stderr, "trestle: store: {}\n", kRestartNeeded);
      report_failure({.code = ErrorCode::kServiceUnavailable, .message = kRestartNeeded});
    }
    fail_waiters(failure_error());
  }
  attempt.join();
  return std::move(*outcome);
}

void DurabilityTracker::fail_waiters(const Error& error) {
  for (Waiter& waiter : take_waiters(UINT64_MAX)) {
    waiter.then(needs_no_wait(waiter.commit) ? Result<void>{} : std::unexpected(error));
  }
  finish_callbacks();
}

void DurabilityTracker::wait_for_commits() const {
  const uint64_t begun = begun_.load(std::memory_order_seq_cst);
  while (finished() < begun) std::this_thread::sleep_for(std::chrono::microseconds(100));
}

void DurabilityTracker::finish_callbacks() {
  MutexLock lock(mutex_);
  calling_ = false;
  called_.notify_all();
}

void DurabilityTracker::wait_for_callbacks() {
  MutexLock lock(mutex_);
  while (calling_ || !waiters_.empty()) called_.wait(mutex_);
}

std::vector<DurabilityTracker::Waiter> DurabilityTracker::take_waiters(uint64_t up_to) {
  MutexLock lock(mutex_);
  calling_ = true;
  const auto ready =
      std::partition(waiters_.begin(), waiters_.end(), [up_to](const Waiter& waiter) { return waiter.commit > up_to; });
  std::vector<Waiter> taken(std::make_move_iterator(ready), std::make_move_iterator(waiters_.end()));
  waiters_.erase(ready, waiters_.end());
  return taken;
}

}  // namespace trestle
