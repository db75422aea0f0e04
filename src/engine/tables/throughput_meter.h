// Throttling: provisioned units and on-demand maximums, by table and by global index.
//
// Each limited table or index has a token bucket for reads and one for writes. A bucket fills at the limit's rate, up
// to five minutes' worth for provisioned units (DynamoDB's burst capacity) and one second's for an on-demand maximum,
// and starts full. A request is admitted while the bucket is not empty, and is charged its actual cost. So requests in
// progress may put a bucket into debt, and it rejects requests until the debt is paid. The debt is limited to five
// minutes' worth, the capacity of a bucket for provisioned units.
//
// A table without limits (PAY_PER_REQUEST without maximums) costs one check of its description. Thread-safe.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>

#include "base/clock.h"
#include "base/mutex.h"
#include "model/error.h"
#include "model/table.h"
#include "storage/lock_ranks.h"

namespace trestle {

enum class UnitKind { kRead, kWrite };

class ThroughputMeter {
 public:
  static constexpr double kBurstSeconds = 300;
  static constexpr double kDebtSecondsMax = 300;

  // Admits everything unless `enabled`.
  ThroughputMeter(const Clock& clock, bool enabled) : clock_(clock), enabled_(enabled) {}
  void enable(bool enabled) { enabled_.store(enabled, std::memory_order_relaxed); }

  // Whether the table or one of its indexes has a limit.
  bool applies_to(const TableDescription& table) const;

  // Fails with the request's error if the table or global index has no units left.
  Result<void> admit(const TableDescription& table, UnitKind kind) { return admit(table, nullptr, kind); }
  Result<void> admit(const TableDescription& table, const IndexDescription* index, UnitKind kind);
  // A global index that has no units left throttles writes to the table that change the index. `throttled_by` is set to
  // that index.
  Result<void> admit_index_writes(const TableDescription& table, ItemView before, ItemView after,
                                  const IndexDescription** throttled_by = nullptr);

  // Charges the units of a request. A local index uses the throughput of its table.
  void charge(const TableDescription& table, const IndexDescription* index, UnitKind kind, double units);

  // Discards the buckets of a deleted keyspace.
  void forget(uint32_t keyspace);

  // The number of throttled requests: in total, and for the table or global index with this keyspace.
  uint64_t throttled_count() const { return throttled_.load(std::memory_order_relaxed); }
  uint64_t throttled_count(uint32_t keyspace, UnitKind kind) const;

 private:
  struct Bucket {
    Mutex mutex{kShortRank};
    bool started GUARDED_BY(mutex) = false;
    double rate GUARDED_BY(mutex) = 0;
    double units GUARDED_BY(mutex) = 0;
    int64_t filled_ms GUARDED_BY(mutex) = 0;
    std::atomic<uint64_t> throttled{0};
  };
  struct Buckets {
    Bucket read;
    Bucket write;
  };
  struct Limit {
    double rate = 0;  // units per second
    double burst_seconds = 0;
  };

  static std::optional<Limit> limit_of(const TableDescription& table, const IndexDescription* index, UnitKind kind);
  // Shared, because a request may still use it when its table is deleted.
  std::shared_ptr<Bucket> bucket_of(uint32_t keyspace, UnitKind kind);
  void fill(Bucket& bucket, const Limit& limit) const REQUIRES(bucket.mutex);
  void count_throttled(uint32_t keyspace, UnitKind kind);
  bool has_room(const TableDescription& table, const IndexDescription* index, UnitKind kind);

  const Clock& clock_;

  mutable SharedMutex mutex_{kShortRank};  // guards the map
  std::unordered_map<uint32_t, std::shared_ptr<Buckets>> buckets_;

  std::atomic<bool> enabled_;
  std::atomic<uint64_t> throttled_{0};
};

}  // namespace trestle
