// Decides when to flush a write buffer (memtable) before it is full.
//
// A write buffer holds every version of an item, and a tombstone for every deleted one, until it is flushed to a file,
// which gets only the newest version. Until then cursors have to skip them all, and every search takes longer. So
// - cursors report how many hidden entries they skipped: once these are several times the entries of the buffer, a
//   flush has paid for itself;
// - writers report how many entries they superseded: a buffer that mostly consists of those gives a small file, however
//   early it is flushed.
// A thread flushes and then pauses, to limit the number of files. Without hidden entries there are no early flushes.
// Thread-safe.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <thread>

#include "base/mutex.h"
#include "storage/lock_ranks.h"

namespace trestle {

class BufferTrimmer {
 public:
  static constexpr size_t kBuffersMax = 8;
  static constexpr uint64_t kPassedPerEntry = 8;  // cost of flushing an entry and compacting it later
  static constexpr uint64_t kEntriesMin = 4'000;  // fewer do not make a file
  static constexpr uint64_t kSupersededMin = 20'000;

  struct Buffers {
    size_t count = 0;
    std::function<uint64_t(size_t buffer)> entries;  // how many it holds now
    std::function<void(size_t buffer)> write_out;    // returns when it is done
    std::chrono::milliseconds pause{250};            // after each
  };
  explicit BufferTrimmer(Buffers buffers);
  ~BufferTrimmer();

  // A cursor passed this many hidden entries of the buffer.
  void passed(size_t buffer, uint64_t hidden) {
    const uint64_t sum = passed_[buffer].fetch_add(hidden, std::memory_order_relaxed) + hidden;
    if (sum >= enough_[buffer].load(std::memory_order_relaxed) && !awake_.load(std::memory_order_relaxed)) wake();
  }

  // A writer replaced or erased an entry of the buffer.
  void superseded(size_t buffer) {
    const uint64_t sum = superseded_[buffer].fetch_add(1, std::memory_order_relaxed) + 1;
    if (sum % kSupersededMin == 0) wake();
  }

  // All hidden entries that cursors ever passed, and how often a buffer was written out early.
  uint64_t passed() const;
  uint64_t written_out() const { return written_out_.load(std::memory_order_relaxed); }

 private:
  void wake();
  void run();
  bool look(size_t buffer);  // whether it flushed the buffer
  bool is_worth_it(size_t buffer, uint64_t entries) const;

  const Buffers buffers_;
  std::array<uint64_t, kBuffersMax> entries_seen_{};  // the thread's own: at its last look

  std::array<std::atomic<uint64_t>, kBuffersMax> passed_{};  // since it was last written out
  std::array<std::atomic<uint64_t>, kBuffersMax> enough_{};  // when it is worth looking
  std::array<std::atomic<uint64_t>, kBuffersMax> superseded_{};
  std::atomic<uint64_t> passed_before_{0};
  std::atomic<uint64_t> written_out_{0};
  std::atomic<bool> awake_{false};

  Mutex mutex_{kShortRank};
  ConditionVariable changed_;
  bool woken_ GUARDED_BY(mutex_) = false;
  bool stopping_ GUARDED_BY(mutex_) = false;

  std::thread thread_;  // last: it uses all of the above
};

}  // namespace trestle
