// How many entries of write buffers this thread passes that nobody can see any more, from begin() to end(). RocksDB
// counts for each thread, and only between the two. Those who end elsewhere, or overlap, learn too little.
// Part of storage/store.cc, and included by nothing else. For one thread.
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
  // `steps`: how many entries were passed that could be seen; RocksDB counts them too.
  uint64_t end(uint64_t steps) const {
    const rocksdb::PerfContext* counts = rocksdb::get_perf_context();
    if (counts != counts_) return 0;
    rocksdb::SetPerfLevel(rocksdb::PerfLevel::kDisable);
    const uint64_t passed = std::min(skipped(*counts) - skipped_, buffered(*counts) - buffered_);
    return passed > steps ? passed - steps : 0;
  }

 private:
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
