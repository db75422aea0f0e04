// Keeps a few of RocksDB's tickers. It ignores the others, and all histograms and timers, whose cost exceeds their use.
// Internal to storage/store.cc.
//
// Counting is lock-free: counts are spread over several cells, and each thread uses one of them. Thread-safe.
#pragma once

#include <rocksdb/statistics.h>

#include <array>
#include <atomic>
#include <cstdint>

namespace trestle {

class StoreCounters final : public rocksdb::Statistics {
 public:
  StoreCounters() { set_stats_level(rocksdb::StatsLevel::kExceptHistogramOrTimers); }

  uint64_t getTickerCount(uint32_t ticker) const override {
    const size_t place = place_of(ticker);
    uint64_t sum = 0;
    for (const Cell& cell : cells_) sum += place < kCounted ? cell.counts[place].load(std::memory_order_relaxed) : 0;
    return sum;
  }
  // Overridden because the inherited function asserts that it is never called.
  void recordInHistogram(uint32_t /*histogram*/, uint64_t /*value*/) override {}
  void recordTick(uint32_t ticker, uint64_t count) override {
    const size_t place = place_of(ticker);
    if (place < kCounted) cells_[cell_of_thread()].counts[place].fetch_add(count, std::memory_order_relaxed);
  }
  const char* Name() const override { return "StoreCounters"; }
  bool HistEnabledForType(uint32_t) const override { return false; }

  // Unused.
  void histogramData(uint32_t, rocksdb::HistogramData* const) const override {}
  void setTickerCount(uint32_t, uint64_t) override {}
  uint64_t getAndResetTickerCount(uint32_t) override { return 0; }

 private:
  static constexpr size_t kCells = 16;
  static constexpr size_t kCounted = 6;
  struct alignas(64) Cell {
    std::array<std::atomic<uint64_t>, kCounted> counts{};
  };

  static size_t place_of(uint32_t ticker) {
    switch (ticker) {
      case rocksdb::BLOCK_CACHE_HIT:
        return 0;
      case rocksdb::BLOCK_CACHE_MISS:
        return 1;
      case rocksdb::COMPACT_READ_BYTES:
        return 2;
      case rocksdb::COMPACT_WRITE_BYTES:
        return 3;
      case rocksdb::FLUSH_WRITE_BYTES:
        return 4;
      case rocksdb::STALL_MICROS:
        return 5;
      default:
        return kCounted;
    }
  }
  static size_t cell_of_thread() {
    static std::atomic<size_t> next{0};
    thread_local const size_t mine = next.fetch_add(1, std::memory_order_relaxed) % kCells;
    return mine;
  }

  std::array<Cell, kCells> cells_;
};

}  // namespace trestle
