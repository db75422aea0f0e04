#include "engine/tables/throughput_meter.h"

#include <algorithm>
#include <mutex>

#include "engine/items/index_delta.h"

namespace trestle {
namespace {

constexpr double kOnDemandBurstSeconds = 1;

constexpr std::string_view kTableExceeded =
    "The level of configured provisioned throughput for the table was exceeded. Consider increasing your provisioning "
    "level with the UpdateTable API.";
constexpr std::string_view kIndexExceeded =
    "The level of configured provisioned throughput for one or more global secondary indexes of the table was "
    "exceeded. "
    "Consider increasing your provisioning level for the under-provisioned global secondary indexes with the "
    "UpdateTable "
    "API";
constexpr std::string_view kMaximumExceeded =
    "Throughput exceeds the maximum OnDemandThroughput configured on table or index";

bool has_maximum(const ThroughputLimits& limits) {
  return limits.read_units.value_or(-1) > 0 || limits.write_units.value_or(-1) > 0;
}

std::unexpected<Error> throttled(const TableDescription& table, const IndexDescription* index, UnitKind kind) {
  const bool provisioned = table.billing == BillingMode::kProvisioned;
  std::string reason = index != nullptr ? "Index" : "Table";
  reason += kind == UnitKind::kRead ? "Read" : "Write";
  reason += provisioned ? "ProvisionedThroughputExceeded" : "MaxOnDemandThroughputExceeded";
  std::string resource = table.arn;
  if (index != nullptr) resource += "/index/" + index->name;

  auto error = failure(provisioned ? ErrorCode::kProvisionedThroughputExceeded : ErrorCode::kThrottling,
                       std::string(!provisioned       ? kMaximumExceeded
                                   : index != nullptr ? kIndexExceeded
                                                      : kTableExceeded));
  error.error().throttling = std::make_shared<const std::vector<ThrottlingReason>>(
      std::vector{ThrottlingReason{.reason = std::move(reason), .resource = std::move(resource)}});
  return error;
}

}  // namespace

bool ThroughputMeter::applies_to(const TableDescription& table) const {
  if (!enabled_) return false;
  if (table.billing == BillingMode::kProvisioned || has_maximum(table.on_demand)) return true;
  return std::ranges::any_of(table.indexes, [](const IndexDescription& index) { return has_maximum(index.on_demand); });
}

std::optional<ThroughputMeter::Limit> ThroughputMeter::limit_of(const TableDescription& table,
                                                                const IndexDescription* index, UnitKind kind) {
  if (table.billing == BillingMode::kProvisioned) {
    const Throughput& units = index != nullptr ? index->throughput : table.throughput;
    return Limit{.rate = static_cast<double>(kind == UnitKind::kRead ? units.read_units : units.write_units),
                 .burst_seconds = kBurstSeconds};
  }
  const ThroughputLimits& maximums = index != nullptr ? index->on_demand : table.on_demand;
  const int64_t maximum = (kind == UnitKind::kRead ? maximums.read_units : maximums.write_units).value_or(-1);
  if (maximum <= 0) return std::nullopt;
  return Limit{.rate = static_cast<double>(maximum), .burst_seconds = kOnDemandBurstSeconds};
}

std::shared_ptr<ThroughputMeter::Bucket> ThroughputMeter::bucket_of(uint32_t keyspace, UnitKind kind) {
  std::shared_ptr<Buckets> found;
  {
    std::shared_lock lock(mutex_);
    if (const auto it = buckets_.find(keyspace); it != buckets_.end()) found = it->second;
  }
  if (found == nullptr) {
    std::unique_lock lock(mutex_);
    auto& slot = buckets_[keyspace];
    if (!slot) slot = std::make_shared<Buckets>();
    found = slot;
  }
  return {found, kind == UnitKind::kRead ? &found->read : &found->write};
}

void ThroughputMeter::forget(uint32_t keyspace) {
  std::unique_lock lock(mutex_);
  buckets_.erase(keyspace);
}

void ThroughputMeter::count_throttled(uint32_t keyspace, UnitKind kind) {
  throttled_.fetch_add(1, std::memory_order_relaxed);
  bucket_of(keyspace, kind)->throttled.fetch_add(1, std::memory_order_relaxed);
}

uint64_t ThroughputMeter::throttled_count(uint32_t keyspace, UnitKind kind) const {
  std::shared_lock lock(mutex_);
  const auto it = buckets_.find(keyspace);
  if (it == buckets_.end()) return 0;
  const Bucket& bucket = kind == UnitKind::kRead ? it->second->read : it->second->write;
  return bucket.throttled.load(std::memory_order_relaxed);
}

// Adds the units accrued since the last call. After a change of the rate, accumulated units are kept up to the new
// bucket's capacity.
void ThroughputMeter::fill(Bucket& bucket, const Limit& limit) const {
  const double most = limit.rate * limit.burst_seconds;
  const int64_t now_ms = clock_.now_ms();
  if (!bucket.started) {
    bucket.units = most;
    bucket.started = true;
  } else if (now_ms > bucket.filled_ms) {
    bucket.units += bucket.rate * static_cast<double>(now_ms - bucket.filled_ms) / 1000.0;
  }
  bucket.units = std::min(bucket.units, most);
  bucket.rate = limit.rate;
  bucket.filled_ms = now_ms;
}

bool ThroughputMeter::has_room(const TableDescription& table, const IndexDescription* index, UnitKind kind) {
  const auto limit = limit_of(table, index, kind);
  if (!limit) return true;
  const auto shared = bucket_of(index != nullptr ? index->keyspace : table.keyspace, kind);
  Bucket& bucket = *shared;
  MutexLock lock(bucket.mutex);
  fill(bucket, *limit);
  return bucket.units > 0;
}

Result<void> ThroughputMeter::admit(const TableDescription& table, const IndexDescription* index, UnitKind kind) {
  if (!applies_to(table)) return {};
  if (index != nullptr && !index->global) index = nullptr;
  if (has_room(table, index, kind)) return {};
  count_throttled(index != nullptr ? index->keyspace : table.keyspace, kind);
  return throttled(table, index, kind);
}

Result<void> ThroughputMeter::admit_index_writes(const TableDescription& table, ItemView before, ItemView after,
                                                 const IndexDescription** throttled_by) {
  if (table.indexes.empty() || !applies_to(table)) return {};
  std::optional<std::vector<IndexChange>> changes;  // computed only if some index has no units left
  for (size_t i = 0; i < table.indexes.size(); ++i) {
    const IndexDescription& index = table.indexes[i];
    if (!index.global || has_room(table, &index, UnitKind::kWrite)) continue;
    if (!changes) changes = index_delta(table, before, after);
    if (std::ranges::none_of(*changes, [i](const IndexChange& change) { return change.index == i; })) continue;
    count_throttled(index.keyspace, UnitKind::kWrite);
    if (throttled_by != nullptr) *throttled_by = &index;
    return throttled(table, &index, UnitKind::kWrite);
  }
  return {};
}

void ThroughputMeter::charge(const TableDescription& table, const IndexDescription* index, UnitKind kind,
                             double units) {
  if (!enabled_) return;
  if (index != nullptr && !index->global) index = nullptr;
  const auto limit = limit_of(table, index, kind);
  if (!limit) return;
  const auto shared = bucket_of(index != nullptr ? index->keyspace : table.keyspace, kind);
  Bucket& bucket = *shared;
  MutexLock lock(bucket.mutex);
  fill(bucket, *limit);
  bucket.units = std::max(bucket.units - units, -limit->rate * kDebtSecondsMax);
}

}  // namespace trestle
