// Decides when to flush a write buffer (memtable) before it is full.
//
// A write buffer holds every version of an item, and a tombstone for every deleted item, until it is flushed to a file.
// The file gets only the newest version. Until then cursors must skip the hidden entries (older versions and
// tombstones), and every lookup takes longer. Two kinds of report trigger an early flush:
// - Cursors report how many hidden entries they skipped. Once the total is several times the number of entries in the
//   buffer, a flush costs less than further skipping.
// - Writers report how many entries they superseded. A buffer that consists mostly of superseded entries yields a small
//   file, however early it is flushed.
// A background thread flushes, then pauses to limit the number of files. Without hidden entries there are no early
// flushes.
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
  static constexpr uint64_t kSkippedPerEntry = 8;  // cost of flushing an entry and compacting it later
  static constexpr uint64_t kEntriesMin = 4'000;   // smaller buffers are not flushed early
  static constexpr uint64_t kSupersededMin = 20'000;

  struct Buffers {
    size_t count = 0;
    std::function<uint64_t(size_t buffer)> entries;  // the current number of entries
    std::function<void(size_t buffer)> flush;        // returns when the flush is complete
    std::chrono::milliseconds pause{250};            // after each flush
  };
  explicit BufferTrimmer(Buffers buffers);
  ~BufferTrimmer();

  // Reports that a cursor skipped this many hidden entries of the buffer.
  void note_skipped(size_t buffer, uint64_t hidden) {
    const uint64_t sum = skipped_[buffer].fetch_add(hidden, std::memory_order_relaxed) + hidden;
    if (sum >= thresholds_[buffer].load(std::memory_order_relaxed) && !awake_.load(std::memory_order_relaxed)) wake();
  }

  // Reports that a writer replaced or erased an entry of the buffer.
  void note_superseded(size_t buffer) {
    const uint64_t sum = superseded_[buffer].fetch_add(1, std::memory_order_relaxed) + 1;
    if (sum % kSupersededMin == 0) wake();
  }

  // Totals since the start: hidden entries that cursors skipped, and early flushes.
  uint64_t skipped_entries() const;
  uint64_t early_flushes() const { return early_flushes_.load(std::memory_order_relaxed); }

 private:
  void wake();
  void run();
  bool flush_if_worthwhile(size_t buffer);  // returns whether it flushed the buffer
  bool is_worthwhile(size_t buffer, uint64_t entries) const;

  const Buffers buffers_;
  std::array<uint64_t, kBuffersMax> entries_seen_{};  // used by thread_ only: the number of entries at its last check

  std::array<std::atomic<uint64_t>, kBuffersMax> skipped_{};     // since the buffer's last flush
  std::array<std::atomic<uint64_t>, kBuffersMax> thresholds_{};  // of skipped_, from which on to wake the thread
  std::array<std::atomic<uint64_t>, kBuffersMax> superseded_{};
  std::atomic<uint64_t> skipped_before_{0};
  std::atomic<uint64_t> early_flushes_{0};
  std::atomic<bool> awake_{false};

  Mutex mutex_{kShortRank};
  ConditionVariable changed_;
  bool woken_ GUARDED_BY(mutex_) = false;
  bool stopping_ GUARDED_BY(mutex_) = false;

  std::thread thread_;  // last: it uses all of the above
};

}  // namespace trestle
