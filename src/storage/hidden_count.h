// Counts the hidden entries of write buffers that this thread skips between begin() and end(). RocksDB's counters are
// per thread and enabled only between the two calls. If end() runs on another thread, or two counts overlap, the result
// is too low. Internal to storage/store_reading.cc. Not thread-safe.
#pragma once

#include <rocksdb/perf_context.h>
#include <rocksdb/perf_level.h>

#include <algorithm>
#include <cstdint>

namespace trestle {

class HiddenCount {
 public:
  void begin() {
    rocksdb::SetPerfLevel(rocksdb::PerfLevel::kEnableCount);
    counts_ = rocksdb::get_perf_context();
    skipped_ = skipped(*counts_);
    buffered_ = buffered(*counts_);
  }
  // `steps` is the number of visible entries visited, which RocksDB counts too.
  uint64_t end(uint64_t steps) {
    const uint64_t hidden = count(steps);
    if (counts_ == rocksdb::get_perf_context()) stop();
    return hidden;
  }
  // Stops counting if there was nothing to count so far, because counting slows down every step of an iteration.
  void stop_if_none(uint64_t steps) {
    if (counts_ == rocksdb::get_perf_context() && count(steps) == 0) stop();
  }

 private:
  void stop() {
    counts_ = nullptr;
    rocksdb::SetPerfLevel(rocksdb::PerfLevel::kDisable);
  }
  uint64_t count(uint64_t steps) const {
    const rocksdb::PerfContext* counts = rocksdb::get_perf_context();
    if (counts != counts_) return 0;
    const uint64_t skipped_or_visited = std::min(skipped(*counts) - skipped_, buffered(*counts) - buffered_);
    return skipped_or_visited > steps ? skipped_or_visited - steps : 0;
  }
  static uint64_t skipped(const rocksdb::PerfContext& counts) {
    return counts.internal_key_skipped_count + counts.internal_delete_skipped_count +
           counts.internal_recent_skipped_count;
  }
  static uint64_t buffered(const rocksdb::PerfContext& counts) {
    return counts.next_on_memtable_count + counts.prev_on_memtable_count;
  }
  const rocksdb::PerfContext* counts_ = nullptr;
  uint64_t skipped_ = 0;
  uint64_t buffered_ = 0;
};

}  // namespace trestle
