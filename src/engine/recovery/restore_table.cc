// RestoreTableFromBackup and RestoreTableToPointInTime. Both create a table that is CREATING, and a job that fills it
// (engine/recovery/recovery.h).
#include <fmt/format.h>

#include "base/random_id.h"
#include "base/utc_text.h"
#include "engine/recovery/backups.h"
#include "engine/recovery/continuous_backups.h"
#include "engine/recovery/history_holds.h"
#include "engine/recovery/recovery.h"
#include "engine/recovery/recovery_operations.h"
#include "engine/recovery/restore_definition.h"
#include "engine/tables/account_limits.h"
#include "engine/tables/table_state.h"
#include "model/limits.h"

namespace trestle {
namespace {

Result<void> check_restore_time(int64_t restore_ms, const RestorableTimes& times) {
  if (restore_ms >= times.earliest_ms && restore_ms <= times.latest_ms) return {};
  return failure(ErrorCode::kInvalidRestoreTime,
                 fmt::format("RestoreDateTime '{}' must be within EarliestRestorableDateTime '{}' and "
                             "LatestRestorableDateTime '{}'",
                             utc_text(restore_ms), utc_text(times.earliest_ms), utc_text(times.latest_ms)));
}

Result<void> check_restore_target(const TableParts& parts, const std::string& name) {
  TRY(parts.catalog->check_certain(name));
  if (const auto table = parts.catalog->find(name)) {
    if (!table->description.restore) {
      return failure(ErrorCode::kTableAlreadyExists, fmt::format("Table already exists: {}", name));
    }
    const std::string& backup = table->description.restore->source_backup_arn;
    return failure(ErrorCode::kTableInUse,
                   backup.empty() ? fmt::format("Table: {} is already being restored", name)
                                  : fmt::format("Table: {} is already being restored from backup: {}", name, backup));
  }
  if (parts.catalog->recovery().restores().size() >= kRestoresMax) {
    return subscriber_limit(fmt::format("Only {} restore operations can be in progress at a time", kRestoresMax));
  }
  return check_table_count(parts.catalog->names().size());
}

Result<TableResponse> begin_restore(EngineParts& parts, TableDescription table, Restore restore)
    REQUIRES(parts.restore_mutex) {
  TRY(check_account_limits(nullptr, table, {.region = parts.options.region, .reserved = reserved_by_account(parts)}));
  restore.table_name = table.name;
  restore.table_id = table.id;
  const auto created = parts.catalog->create_restored(table, restore);
  if (!created.has_value() && created.error().code == ErrorCode::kResourceInUse) {
    return failure(ErrorCode::kTableAlreadyExists, fmt::format("Table already exists: {}", table.name));
  }
  parts.recovery->wake();
  TRY(created);
  return TableResponse{std::move(table)};
}

}  // namespace

Result<RestoreTableFromBackupResponse> restore_table_from_backup(EngineParts& parts,
                                                                 const RestoreTableFromBackupRequest& request, Call&) {
  MutexLock lock(parts.restore_mutex);
  TRY_INTO(const auto backup, find_backup(parts, request.backup_arn));
  if (backup->status == BackupStatus::kCreating) {
    return failure(ErrorCode::kBackupInUse, fmt::format("Backup is being created: {}", backup->arn));
  }
  const std::string id = random_uuid();
  TableContext context = table_context(parts);
  context.table_id = id;
  TRY_INTO(TableDescription table, define_restored_table(backup->table, request.overrides,
                                                         {.table_name = request.target_table_name,
                                                          .from = {.source_backup_arn = backup->arn,
                                                                   .source_table_arn = backup->table.arn,
                                                                   .restore_ms = backup->created_ms}},
                                                         context));
  TRY(check_restore_target(parts, request.target_table_name));
  if (is_restoring_from(parts, backup->arn)) {
    return failure(ErrorCode::kBackupInUse,
                   fmt::format("Backup is being used to restore another table: {}", backup->arn));
  }
  Restore restore;
  restore.source_keyspace = backup->keyspace;
  restore.backup_arn = backup->arn;
  return begin_restore(parts, std::move(table), std::move(restore));
}

Result<RestoreTableToPointInTimeResponse> restore_table_to_point_in_time(
    EngineParts& parts, const RestoreTableToPointInTimeRequest& request, Call&) {
  const bool latest = request.use_latest_restorable_time.value_or(false);
  if (latest && request.restore_ms) {
    return invalid(
        "Invalid Request: Both RestoreDateTime and UseLatestRestorableTime cannot be set for point-in-time restore "
        "request. Please specify either RestoreDateTime time or UseLatestRestorableTime");
  }
  if (!latest && !request.restore_ms) {
    return invalid(
        "Invalid Request: Either one of RestoreDateTime or UseLatestRestorableTime must be specified, but not both");
  }
  if (request.source_table_arn && !table_name_of(*request.source_table_arn)) {
    return invalid("sourceTableArn is not a valid ARN");
  }
  MutexLock lock(parts.restore_mutex);
  TRY_INTO(const auto source,
           find_source_table(
               parts, request.source_table_arn ? *request.source_table_arn : request.source_table_name.value_or("")));
  const TableDescription& description = source->description;
  if (!description.recovery) return recovery_not_enabled(description.name);
  const RestorableTimes times = restorable_times(*description.recovery, parts.history_clock.now_ms());
  const int64_t restore_ms = latest ? times.latest_ms : *request.restore_ms;
  TRY(check_restore_time(restore_ms, times));
  const std::string id = random_uuid();
  TableContext context = table_context(parts);
  context.table_id = id;
  TRY_INTO(TableDescription table,
           define_restored_table(
               description, request.overrides,
               {.table_name = request.target_table_name,
                .from = {.source_backup_arn = {}, .source_table_arn = description.arn, .restore_ms = restore_ms}},
               context));
  TRY(check_restore_target(parts, request.target_table_name));
  TRY_INTO(const HistoryHold hold, hold_history(parts, description.name, "restore " + id, restore_ms, description.id));
  Restore restore;
  restore.source_keyspace = hold.keyspace;
  restore.hold = hold.id;
  auto begun = begin_restore(parts, std::move(table), std::move(restore));
  if (!begun.has_value()) release_unused(parts, hold.id);
  return begun;
}

}  // namespace trestle
