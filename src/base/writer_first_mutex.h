// A shared mutex that a steady stream of shared lockers cannot keep from an exclusive locker: once a thread waits for
// the exclusive lock, it gets it when the current holders have released theirs. Later shared lockers wait until it is
// released again, and try_lock_shared() fails. std::shared_mutex, in contrast, prefers shared lockers: as long as their
// intervals overlap, an exclusive locker waits.
//
// Therefore a thread that holds the lock shared must not lock it again (builds with assertions check this), and must
// not wait for a thread that may be waiting for it.
//
// Used with std::unique_lock and std::shared_lock, which clang's analysis does not track.
#pragma once

#include <pthread.h>

#include "base/check.h"
#include "base/lock_rank.h"
#include "base/mutex.h"

#if !defined(NDEBUG) || defined(TRESTLE_CHECKED)
#include <algorithm>
#include <vector>
#endif

namespace trestle {

class CAPABILITY("shared_mutex") WriterFirstMutex {
 public:
  explicit WriterFirstMutex(LockRank rank) : order_(rank) {
    pthread_rwlockattr_t attributes;
    CHECK(pthread_rwlockattr_init(&attributes) == 0);
    CHECK(pthread_rwlockattr_setkind_np(&attributes, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP) == 0);
    CHECK(pthread_rwlock_init(&lock_, &attributes) == 0);
    pthread_rwlockattr_destroy(&attributes);
  }
  ~WriterFirstMutex() { pthread_rwlock_destroy(&lock_); }
  WriterFirstMutex(const WriterFirstMutex&) = delete;
  WriterFirstMutex& operator=(const WriterFirstMutex&) = delete;

  void lock() ACQUIRE() {
    order_.check();
    check_not_held();
    CHECK(pthread_rwlock_wrlock(&lock_) == 0);
    note_taken();
  }
  void unlock() RELEASE() { release(); }
  void lock_shared() ACQUIRE_SHARED() {
    order_.check();
    check_not_held();
    CHECK(pthread_rwlock_rdlock(&lock_) == 0);
    note_taken();
  }
  bool try_lock_shared() TRY_ACQUIRE_SHARED(true) {
    check_not_held();
    if (pthread_rwlock_tryrdlock(&lock_) != 0) return false;
    note_taken();
    return true;
  }
  void unlock_shared() RELEASE_SHARED() { release(); }

 private:
  void release() NO_THREAD_SAFETY_ANALYSIS {
    order_.released();
    note_released();
    pthread_rwlock_unlock(&lock_);
  }

#if defined(NDEBUG) && !defined(TRESTLE_CHECKED)
  void check_not_held() const {}
  void note_taken() const { order_.taken(); }
  void note_released() const {}
#else
  static std::vector<const WriterFirstMutex*>& held() {
    thread_local std::vector<const WriterFirstMutex*> locks;
    return locks;
  }
  void check_not_held() const { CHECK(std::ranges::find(held(), this) == held().end()); }
  void note_taken() const {
    order_.taken();
    held().push_back(this);
  }
  void note_released() const { std::erase(held(), this); }
#endif

  pthread_rwlock_t lock_;
  [[no_unique_address]] LockOrder order_;
};

}  // namespace trestle
