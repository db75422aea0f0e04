// The capacity settings of CreateTable and UpdateTable: billing mode, provisioned units, on-demand limits, warm
// throughput. Pure. Account limits are in engine/tables/account_limits.h, throttling in
// engine/tables/throughput_meter.h.
#pragma once

#include <string_view>

#include "engine/tables/account_limits.h"
#include "model/error.h"
#include "model/table_requests.h"

namespace trestle {

inline constexpr int64_t kProvisionedUnitsMax = 1'000'000'000'000;
// The initial throughput of a new on-demand table, as DescribeTable reports it in WarmThroughput.
inline constexpr int64_t kWarmReadUnitsOnDemand = 12'000;
inline constexpr int64_t kWarmWriteUnitsOnDemand = 4'000;

// What is checked, and in which operation. The messages of errors depend on them.
struct ThroughputSubject {
  std::string_view index;  // empty: the table
  bool is_new = true;      // CreateTable; false: UpdateTable
};

// Checks that a table has provisioned units if its billing mode requires them, and none otherwise.
Result<void> check_table_throughput(BillingMode billing, const std::optional<Throughput>& throughput);
// The same for a global index to be created.
Result<void> check_index_throughput(ThroughputSubject subject, BillingMode billing,
                                    const std::optional<Throughput>& throughput);
// Fails with "Given value 1000000000001 for ReadCapacityUnits is out of bounds", for example.
Result<void> check_throughput_bounds(const Throughput& throughput);

// Checks that limits are positive. In UpdateTable, -1 removes a limit.
Result<void> check_on_demand(ThroughputSubject subject, BillingMode billing,
                             const std::optional<ThroughputLimits>& on_demand);
// Checks that warm throughput is at least `least`, which is the default for a new table and the current value
// otherwise.
Result<void> check_warm(ThroughputSubject subject, BillingMode billing, const ThroughputLimits& least,
                        const std::optional<ThroughputLimits>& requested);

inline bool shrinks(const Throughput& current, const Throughput& requested) {
  return requested.read_units < current.read_units || requested.write_units < current.write_units;
}

// Changes the units of a table or a global index. Records when they were last increased and decreased, and how often
// they were decreased on this UTC day. `Of` is TableDescription or IndexDescription.
template <class Of>
void change_units(Of& of, const Throughput& requested, int64_t now_ms);

// The warm throughput of a new table or index.
ThroughputLimits default_warm(BillingMode billing, const Throughput& throughput);
// `warm` after `throughput` was provisioned. Warm throughput never decreases.
ThroughputLimits raise_warm(const ThroughputLimits& warm, const Throughput& throughput);
// `current`, overridden by the figures that `requested` has.
ThroughputLimits merge_limits(const ThroughputLimits& current, const std::optional<ThroughputLimits>& requested);

template <class Of>
void change_units(Of& of, const Throughput& requested, int64_t now_ms) {
  const Throughput& current = of.throughput;
  if (requested.read_units > current.read_units || requested.write_units > current.write_units) {
    of.throughput_increased_ms = now_ms;
  }
  if (shrinks(current, requested)) {
    if (!is_same_day(of.throughput_decreased_ms, now_ms)) of.throughput_decreases_today = 0;
    ++of.throughput_decreases_today;
    of.throughput_decreased_ms = now_ms;
  }
  of.throughput = requested;
  of.warm = raise_warm(of.warm, requested);
}

}  // namespace trestle
