// Who may use how much: provisioned units and on-demand maximums, by table and by global index.
//
// Each limited table or index has a bucket for reads and one for writes. A bucket fills at the limit's rate, up to five
// minutes' worth for provisioned units (DynamoDB's burst credit) and one second's for an on-demand maximum, and starts
// full. A request is admitted while there is anything left in it, and is charged what it turned out to cost: a bucket
// may so go into debt by the requests under way, and refuses until time has paid for them. The debt has an end: what
// five minutes pay for, as much as a bucket of provisioned units can save.
//
// A table without limits (PAY_PER_REQUEST without maximums) costs one look at its description.
// Threads may share it.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <shared_mutex>
#include <unordered_map>

#include "base/clock.h"
#include "base/mutex.h"
#include "model/error.h"
#include "model/table.h"

namespace trestle {

enum class UnitKind { kRead, kWrite };

class ThroughputMeter {
 public:
  static constexpr double kBurstSeconds = 300;
  static constexpr double kDebtSecondsMax = 300;

  // Not `enabled`: admits everything.
  ThroughputMeter(const Clock& clock, bool enabled) : clock_(clock), enabled_(enabled) {}

  // Whether the table, or one of its indexes, has a limit at all.
  bool applies_to(const TableDescription& table) const;

  // Whether there is anything left, of the table or of a global index: else the error to answer.
  Result<void> admit(const TableDescription& table, UnitKind kind) { return admit(table, nullptr, kind); }
  Result<void> admit(const TableDescription& table, const IndexDescription* index, UnitKind kind);
  // A global index without room for another write pushes back on the writes of the table that change it.
  // `refused_by` is set to the index that does.
  Result<void> admit_index_writes(const TableDescription& table, ItemView before, ItemView after,
                                  const IndexDescription** refused_by = nullptr);

  // What a request has cost. A local index draws on its table.
  void charge(const TableDescription& table, const IndexDescription* index, UnitKind kind, double units);

  // A keyspace that is gone for good.
  void forget(uint32_t keyspace);

  // Requests refused, in all, and of the table or global index with this keyspace.
  uint64_t throttled_count() const { return throttled_.load(std::memory_order_relaxed); }
  uint64_t throttled_count(uint32_t keyspace, UnitKind kind) const;

 private:
  struct Bucket {
    Mutex mutex;
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
    double rate = 0;  // units a second
    double burst_seconds = 0;
  };

  static std::optional<Limit> limit_of(const TableDescription& table, const IndexDescription* index, UnitKind kind);
  // Shared: a request may be at it when its table goes.
  std::shared_ptr<Bucket> bucket_of(uint32_t keyspace, UnitKind kind);
  void fill(Bucket& bucket, const Limit& limit) const REQUIRES(bucket.mutex);
  void count_throttled(uint32_t keyspace, UnitKind kind);
  bool has_room(const TableDescription& table, const IndexDescription* index, UnitKind kind);

  const Clock& clock_;
  const bool enabled_;

  mutable std::shared_mutex mutex_;  // guards the map
  std::unordered_map<uint32_t, std::shared_ptr<Buckets>> buckets_;

  std::atomic<uint64_t> throttled_{0};
};

}  // namespace trestle
