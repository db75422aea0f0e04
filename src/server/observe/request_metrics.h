// Request counts and latencies by operation and table, for /metrics.
//
// record() is lock-free and takes well under a microsecond: a series is found in a fixed-size hash table, and its
// counters are spread over several cells to reduce contention between threads. The number of labels is bounded: a table
// name becomes a label only after a request on it has succeeded, and beyond the maximum number of series, tables are
// counted together as "other". keep_tables() frees the series of deleted tables. Thread-safe.
#pragma once

#include <array>
#include <atomic>
#include <bitset>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/mutex.h"

namespace trestle {

class MetricsText;

// What is recorded of a request.
struct RequestOutcome {
  std::string_view operation;  // "PutItem"; "Unknown" for an operation that DynamoDB does not have
  std::string_view table;      // empty: none, or several
  std::string_view error;      // "ValidationException"; empty: it succeeded
  int status = 200;
  int64_t latency_us = 0;
  size_t request_bytes = 0;
  size_t reply_bytes = 0;
};

class RequestMetrics {
 public:
  RequestMetrics();
  ~RequestMetrics();

  void record(const RequestOutcome& outcome);
  // Frees the series of tables for which `exists` is false.
  void keep_tables(const std::function<bool(std::string_view table)>& exists);
  // Appends every family in Prometheus's text format.
  void write(MetricsText& text) const;

 private:
  static constexpr size_t kCells = 16;
  static constexpr size_t kSlots = 4096;
  static constexpr size_t kSeriesMax = 1024;  // a quarter of the slots, so that probe sequences stay short
  static constexpr std::array<int64_t, 16> kBoundsUs = {50,      100,       250,       500,       1'000,   2'500,
                                                        5'000,   10'000,    25'000,    50'000,    100'000, 250'000,
                                                        500'000, 1'000'000, 2'500'000, 10'000'000};

  struct alignas(64) Cell {
    std::array<std::atomic<uint64_t>, kBoundsUs.size() + 1> buckets{};  // not cumulative; the last has no bound
    std::atomic<uint64_t> latency_us{0};
    std::atomic<uint64_t> request_bytes{0};
    std::atomic<uint64_t> reply_bytes{0};
  };
  // Kind 'r': requests of an operation on a table. Kind 'e': errors of an operation, by type.
  struct Series {
    char kind;
    std::string operation;
    std::string label;
    std::array<Cell, kCells> cells;
  };

  // The number of threads that are using a series at the moment, by cell.
  struct alignas(64) Users {
    std::atomic<uint32_t> count{0};
  };
  class User {
   public:
    explicit User(std::array<Users, kCells>& users);
    ~User() { count_.fetch_sub(1); }
    User(const User&) = delete;
    User& operator=(const User&) = delete;

   private:
    std::atomic<uint32_t>& count_;
  };

  // Series removed from the slots. They are freed once every cell has been seen without users since the removal.
  struct Retired {
    std::vector<std::unique_ptr<Series>> series;
    std::bitset<kCells> may_be_used;
  };

  Series* find(char kind, std::string_view operation, std::string_view label) const;
  Series* find_or_add(char kind, std::string_view operation, std::string_view label);
  void count(const RequestOutcome& outcome);
  void empty_slots_of(const std::vector<std::unique_ptr<Series>>& deleted) REQUIRES(mutex_);
  void free_unused() REQUIRES(mutex_);
  static Series* tombstone();
  static size_t first_slot(char kind, std::string_view operation, std::string_view label);
  static uint64_t sum(const Series& series, std::atomic<uint64_t> Cell::* figure);
  std::vector<const Series*> sorted(char kind) const;

  std::unique_ptr<std::array<std::atomic<Series*>, kSlots>> slots_;
  mutable std::array<Users, kCells> users_;

  mutable Mutex mutex_;  // for adding
  std::vector<std::unique_ptr<Series>> all_ GUARDED_BY(mutex_);
  std::vector<Retired> retired_ GUARDED_BY(mutex_);
};

}  // namespace trestle
