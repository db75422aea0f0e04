// RestoreTableFromBackup and RestoreTableToPointInTime: both add a table that is CREATING and a job that fills it
// (engine/recovery/recovery.h).
#include <fmt/format.h>

#include "base/random_id.h"
#include "engine/engine.h"
#include "engine/recovery/backups.h"
#include "engine/recovery/continuous_backups.h"
#include "engine/recovery/recovery.h"
#include "engine/recovery/restore_definition.h"
#include "engine/tables/account_limits.h"
#include "engine/utc_text.h"
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

}  // namespace

Result<void> Engine::check_restore_target(const std::string& name) const {
  TRY(catalog_->check_certain(name));
  if (const auto table = catalog_->find(name)) {
    if (!table->description.restore) {
      return failure(ErrorCode::kTableAlreadyExists, fmt::format("Table already exists: {}", name));
    }
    const std::string& backup = table->description.restore->source_backup_arn;
    return failure(ErrorCode::kTableInUse,
                   backup.empty() ? fmt::format("Table: {} is already being restored", name)
                                  : fmt::format("Table: {} is already being restored from backup: {}", name, backup));
  }
  if (catalog_->recovery().restores().size() >= kRestoresMax) {
    return failure(ErrorCode::kLimitExceeded,
                   fmt::format("Subscriber limit exceeded: Only {} restore operations can be in progress at a time",
                               kRestoresMax));
  }
  if (catalog_->names().size() >= kTablesMax) {
    return failure(ErrorCode::kLimitExceeded,
                   "Subscriber limit exceeded: There is a limit of 2500 tables per subscriber");
  }
  return {};
}

// The job is recorded before its table is created: the next start finds what a crash leaves.
Result<TableResponse> Engine::begin_restore(TableDescription table, Restore restore) {
  TRY(check_account_limits(nullptr, table, {.region = options_.region, .reserved = reserved_by_account()}));
  restore.table_name = table.name;
  restore.table_id = table.id;
  TRY(catalog_->add_restore(restore));
  const auto created = catalog_->create(table);
  if (!created.has_value()) {
    // A table of unknown outcome keeps its job.
    const auto target = catalog_->find(table.name);
    if (target && target->description.id == table.id) return std::unexpected(created.error());
    (void)catalog_->remove_restore(restore);
    if (created.error().code != ErrorCode::kResourceInUse) return std::unexpected(created.error());
    return failure(ErrorCode::kTableAlreadyExists, fmt::format("Table already exists: {}", table.name));
  }
  recovery_->wake();
  return TableResponse{std::move(table)};
}

// The job is forgotten a moment after its table became ACTIVE, and by then clients may want the backup again.
bool Engine::is_restoring_from(std::string_view backup_arn) const {
  for (const auto& restore : catalog_->recovery().restores()) {
    if (restore->backup_arn != backup_arn) continue;
    const auto target = catalog_->find(restore->table_name);
    if (target && target->description.id == restore->table_id && target->description.restore) return true;
  }
  return false;
}

Result<RestoreTableFromBackupResponse> Engine::restore_table_from_backup(const RestoreTableFromBackupRequest& request,
                                                                         Call&) {
  MutexLock lock(restore_mutex_);
  TRY_INTO(const auto backup, find_backup(request.backup_arn));
  if (backup->status == BackupStatus::kCreating) {
    return failure(ErrorCode::kBackupInUse, fmt::format("Backup is being created: {}", backup->arn));
  }
  const std::string id = random_uuid();
  TableContext context = table_context();
  context.table_id = id;
  TRY_INTO(TableDescription table, define_restored_table(backup->table, request.overrides,
                                                         {.table_name = request.target_table_name,
                                                          .from = {.source_backup_arn = backup->arn,
                                                                   .source_table_arn = backup->table.arn,
                                                                   .restore_ms = backup->created_ms}},
                                                         context));
  TRY(check_restore_target(request.target_table_name));
  if (is_restoring_from(backup->arn)) {
    return failure(ErrorCode::kBackupInUse,
                   fmt::format("Backup is being used to restore another table: {}", backup->arn));
  }
  Restore restore;
  restore.source_keyspace = backup->keyspace;
  restore.backup_arn = backup->arn;
  return begin_restore(std::move(table), std::move(restore));
}

Result<RestoreTableToPointInTimeResponse> Engine::restore_table_to_point_in_time(
    const RestoreTableToPointInTimeRequest& request, Call&) {
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
  MutexLock lock(restore_mutex_);
  TRY_INTO(const auto source, find_source_table(request.source_table_arn ? *request.source_table_arn
                                                                         : request.source_table_name.value_or("")));
  const TableDescription& description = source->description;
  if (!description.recovery) return recovery_not_enabled(description.name);
  const RestorableTimes times = restorable_times(*description.recovery, history_clock_.now_ms());
  const int64_t restore_ms = latest ? times.latest_ms : *request.restore_ms;
  TRY(check_restore_time(restore_ms, times));
  const std::string id = random_uuid();
  TableContext context = table_context();
  context.table_id = id;
  TRY_INTO(TableDescription table,
           define_restored_table(
               description, request.overrides,
               {.table_name = request.target_table_name,
                .from = {.source_backup_arn = {}, .source_table_arn = description.arn, .restore_ms = restore_ms}},
               context));
  TRY(check_restore_target(request.target_table_name));
  TRY_INTO(const HistoryHold hold, hold_history(description.name, "restore " + id, restore_ms, description.id));
  Restore restore;
  restore.source_keyspace = hold.keyspace;
  restore.hold = hold.id;
  auto begun = begin_restore(std::move(table), std::move(restore));
  if (!begun.has_value()) release_unused(hold.id);
  return begun;
}

}  // namespace trestle
