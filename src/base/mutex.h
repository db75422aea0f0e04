// std::mutex and std::shared_mutex with clang's thread safety annotations, so that `clang -Wthread-safety` checks which
// locks are held, and with ranks, so that builds with assertions check the lock order (base/lock_rank.h).
//
//   Mutex mutex_;
//   int count_ GUARDED_BY(mutex_);
#pragma once

#include <pthread.h>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <ctime>
#include <mutex>
#include <shared_mutex>

#include "base/lock_rank.h"

#if defined(__clang__)
#define TRESTLE_ANNOTATE(x) __attribute__((x))
#else
#define TRESTLE_ANNOTATE(x)
#endif

#define CAPABILITY(x) TRESTLE_ANNOTATE(capability(x))
#define SCOPED_CAPABILITY TRESTLE_ANNOTATE(scoped_lockable)
#define GUARDED_BY(x) TRESTLE_ANNOTATE(guarded_by(x))
#define REQUIRES(...) TRESTLE_ANNOTATE(requires_capability(__VA_ARGS__))
#define ACQUIRE(...) TRESTLE_ANNOTATE(acquire_capability(__VA_ARGS__))
#define RELEASE(...) TRESTLE_ANNOTATE(release_capability(__VA_ARGS__))
#define ACQUIRE_SHARED(...) TRESTLE_ANNOTATE(acquire_shared_capability(__VA_ARGS__))
#define RELEASE_SHARED(...) TRESTLE_ANNOTATE(release_shared_capability(__VA_ARGS__))
#define TRY_ACQUIRE(...) TRESTLE_ANNOTATE(try_acquire_capability(__VA_ARGS__))
#define TRY_ACQUIRE_SHARED(...) TRESTLE_ANNOTATE(try_acquire_shared_capability(__VA_ARGS__))
#define EXCLUDES(...) TRESTLE_ANNOTATE(locks_excluded(__VA_ARGS__))
#define NO_THREAD_SAFETY_ANALYSIS TRESTLE_ANNOTATE(no_thread_safety_analysis)

namespace trestle {

class CAPABILITY("mutex") Mutex {
 public:
  Mutex() : Mutex(kNoRank) {}
  explicit Mutex(LockRank rank) : order_(rank) {}
  void lock() ACQUIRE() {
    order_.check();
    mutex_.lock();
    order_.taken();
  }
  void unlock() RELEASE() {
    order_.released();
    mutex_.unlock();
  }
  bool try_lock() TRY_ACQUIRE(true) {
    if (!mutex_.try_lock()) return false;
    order_.taken();
    return true;
  }
  // Waits at most this long.
  bool try_lock_for(std::chrono::nanoseconds time) TRY_ACQUIRE(true) {
    constexpr int64_t kSecondNs = 1'000'000'000;
    order_.check();
    timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    const int64_t nanoseconds = until.tv_nsec + time.count();
    until.tv_sec += nanoseconds / kSecondNs;
    until.tv_nsec = nanoseconds % kSecondNs;
    if (pthread_mutex_clocklock(mutex_.native_handle(), CLOCK_MONOTONIC, &until) != 0) return false;
    order_.taken();
    return true;
  }

 private:
  friend class ConditionVariable;
  std::mutex mutex_;
  [[no_unique_address]] LockOrder order_;
};

// Used with std::unique_lock and std::shared_lock, which clang's analysis does not track.
class CAPABILITY("shared_mutex") SharedMutex {
 public:
  SharedMutex() : SharedMutex(kNoRank) {}
  explicit SharedMutex(LockRank rank) : order_(rank) {}
  void lock() ACQUIRE() {
    order_.check();
    mutex_.lock();
    order_.taken();
  }
  void unlock() RELEASE() {
    order_.released();
    mutex_.unlock();
  }
  void lock_shared() ACQUIRE_SHARED() {
    order_.check();
    mutex_.lock_shared();
    order_.taken();
  }
  bool try_lock_shared() TRY_ACQUIRE_SHARED(true) {
    if (!mutex_.try_lock_shared()) return false;
    order_.taken();
    return true;
  }
  void unlock_shared() RELEASE_SHARED() {
    order_.released();
    mutex_.unlock_shared();
  }

 private:
  std::shared_mutex mutex_;
  [[no_unique_address]] LockOrder order_;
};

class SCOPED_CAPABILITY MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) ACQUIRE(mutex) : mutex_(mutex) { mutex_.lock(); }
  ~MutexLock() RELEASE() { mutex_.unlock(); }
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

 private:
  Mutex& mutex_;
};

// Waits on a held Mutex. As with any condition variable, test the condition in a loop.
class ConditionVariable {
 public:
  void wait(Mutex& mutex) REQUIRES(mutex) {
    std::unique_lock lock(mutex.mutex_, std::adopt_lock);
    condition_.wait(lock);
    lock.release();
  }
  template <class Duration>
  void wait_for(Mutex& mutex, Duration duration) REQUIRES(mutex) {
    std::unique_lock lock(mutex.mutex_, std::adopt_lock);
    condition_.wait_for(lock, duration);
    lock.release();
  }
  void notify_one() { condition_.notify_one(); }
  void notify_all() { condition_.notify_all(); }

 private:
  std::condition_variable condition_;
};

}  // namespace trestle
