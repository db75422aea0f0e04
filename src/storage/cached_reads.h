// Reads that do not wait for the disk, for threads that others depend on.
//
// An event loop that waits for the disk keeps all its connections waiting. While a CachedReads exists on a thread, a
// read there of data that is neither in RocksDB's cache nor in the system's page cache is a miss: it fails, and so do
// all later reads and commits of that thread. The call then had no effect, and is repeated on a thread that may wait.
//
// A call that had an effect must not be repeated. So from its first effect on (allow_waiting()) its reads wait as
// usual; operations read first, where they can.
#pragma once

#include <cstdint>

namespace trestle {

class CachedReads {
 public:
  // At most one on a thread at a time.
  CachedReads();
  ~CachedReads();
  CachedReads(const CachedReads&) = delete;
  CachedReads& operator=(const CachedReads&) = delete;

  // Of this thread. Before an effect that cannot be taken back, in the store or in memory; not after a miss.
  static void allow_waiting() {
    if (state == State::kMustNotWait) state = State::kMayWait;
  }
  static bool must_not_wait() { return state == State::kMustNotWait; }
  static bool missed() { return state == State::kMissed; }
  static void note_miss() { state = State::kMissed; }

 private:
  enum class State : uint8_t { kMayWait, kMustNotWait, kMissed };
  static constinit inline thread_local State state = State::kMayWait;
};

}  // namespace trestle
