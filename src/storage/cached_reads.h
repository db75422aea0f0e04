// Reads that do not wait for the disk, for threads that must not block.
//
// An event loop that waits for the disk stalls all its connections. While a CachedReads exists on a thread, reading
// data that is neither in RocksDB's cache nor in the system's page cache is a miss: that read fails, and so do all
// later reads and commits on the thread. The failed call has had no effect, and the caller repeats it on a thread that
// may wait. Waiting for a lock that another thread may hold for long (a table's gate, an item's lock) is a miss too.
//
// A call that has had an effect must not be repeated. Therefore reads block as usual after the call's first effect
// (allow_waiting()); operations do their reads first where they can.
#pragma once

#include <cstdint>

namespace trestle {

class CachedReads {
 public:
  // At most one may exist on a thread at a time.
  CachedReads();
  ~CachedReads();
  CachedReads(const CachedReads&) = delete;
  CachedReads& operator=(const CachedReads&) = delete;

  // These apply to the calling thread. Call allow_waiting() before an effect that cannot be undone, in the store or in
  // memory. It does nothing after a miss.
  static void allow_waiting() {
    if (state == State::kMustNotWait) state = State::kMayWait;
  }
  static bool must_not_wait() { return state == State::kMustNotWait; }
  static bool missed() { return state == State::kMissed || state == State::kMissedLock; }
  static bool missed_lock() { return state == State::kMissedLock; }
  static void note_miss() { state = State::kMissed; }
  static void note_missed_lock() { state = State::kMissedLock; }

 private:
  enum class State : uint8_t { kMayWait, kMustNotWait, kMissed, kMissedLock };
  static constinit inline thread_local State state = State::kMayWait;
};

}  // namespace trestle
