// UpdateContinuousBackups and DescribeContinuousBackups.
#include "engine/recovery/continuous_backups.h"

#include <algorithm>

#include "engine/recovery/backups.h"
#include "engine/recovery/recovery_operations.h"
#include "engine/tables/dropped_keyspaces.h"

namespace trestle {

RestorableTimes restorable_times(const PointInTimeRecovery& recovery, int64_t now_ms) {
  const int64_t earliest_ms = std::max(recovery.enabled_ms, now_ms - recovery_period_ms(recovery));
  return {.earliest_ms = earliest_ms / 1000 * 1000, .latest_ms = std::max(earliest_ms, now_ms)};
}

namespace {

ContinuousBackupsResponse continuous_backups(const TableDescription& table, int64_t now_ms) {
  ContinuousBackupsResponse response;
  if (!table.recovery) return response;
  const RestorableTimes times = restorable_times(*table.recovery, now_ms);
  response.enabled = true;
  response.recovery_period_days = table.recovery->period_days;
  response.earliest_restorable_ms = times.earliest_ms;
  response.latest_restorable_ms = times.latest_ms / 1000 * 1000;
  return response;
}

}  // namespace

// The setting takes effect before the response: every later write is recorded.
Result<UpdateContinuousBackupsResponse> update_continuous_backups(EngineParts& parts,
                                                                  const UpdateContinuousBackupsRequest& request,
                                                                  Call&) {
  if (!request.enabled && request.recovery_period_days) {
    return invalid("Invalid Request: Cannot specify RecoveryPeriodInDays when disabling point-in-time recovery.");
  }
  TRY_INTO(const auto table, find_source_table(parts, request.table_name));
  const auto changed =
      parts.catalog->change(table->description.name, [&](TableDescription next) -> Result<TableDescription> {
        if (!request.enabled) {
          next.recovery.reset();
          return next;
        }
        if (!next.recovery) next.recovery.emplace();
        if (request.recovery_period_days) next.recovery->period_days = *request.recovery_period_days;
        return next;
      });
  start_freeing(parts);
  TRY(changed);
  return continuous_backups((*changed)->description, parts.options.clock->now_ms());
}

Result<DescribeContinuousBackupsResponse> describe_continuous_backups(TableParts& parts,
                                                                      const DescribeContinuousBackupsRequest& request,
                                                                      Call&) {
  TRY_INTO(const auto table, find_source_table(parts, request.table_name));
  return continuous_backups(table->description, parts.options.clock->now_ms());
}

}  // namespace trestle
