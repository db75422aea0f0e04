#include "engine/backups.h"
#include "engine/engine.h"

namespace trestle {
namespace {

// What remains for a while of a table that had point in time recovery.
Backup deleted_table_backup(TableDescription table, int64_t now_ms) {
  constexpr int64_t kKeptMs = int64_t{35} * 24 * 60 * 60 * 1000;
  Backup backup;
  backup.arn = backup_arn(table.arn, now_ms, 0);
  backup.name = table.name + "$DeletedTableBackup";
  backup.type = BackupType::kSystem;
  backup.status = BackupStatus::kAvailable;
  backup.created_ms = now_ms;
  backup.expires_ms = now_ms + kKeptMs;
  backup.table = std::move(table);
  return backup;
}

}  // namespace

Result<DeleteTableResponse> Engine::delete_table(const DeleteTableRequest& request, Call&) {
  TRY_INTO(const auto table, find_any_table(request.table_name));
  TRY(check_deletable(table->description));
  DeleteTableResponse response{described(*table)};
  response.table.status = Status::kDeleting;
  std::optional<Backup> kept;
  if (table->description.recovery) kept = deleted_table_backup(described(*table), options_.clock->now_ms());
  const auto removed = catalog_->remove(table->description.name, std::move(kept));
  if (!table->description.vector_indexes.empty()) vectors_->tend();
  start_freeing();
  TRY(removed);
  if (table->description.recovery) {
    // Its items have become the backup's; the rest of the table goes with its keyspaces.
    TRY(reset_expiry(table->description.keyspace, false));
    throughput_.forget(table->description.keyspace);
    insights_.forget(table->description.keyspace);
  }
  return response;
}

void Engine::free_dropped_keyspaces() {
  const auto dropped = catalog_->dropped();
  // Files go at once and for good: a crash must not bring the table back without them.
  if (dropped.empty() || !store_->sync().has_value()) return;
  for (uint32_t keyspace : dropped) {
    if (background_.stopping()) return;
    if (catalog_->recovery().is_read(keyspace)) continue;  // whoever reads it comes here when he is done
    // What fails stays on the list, and is tried again at the next start.
    if (!store_->drop_range(Space::kItems, keyspace_range(keyspace)).has_value()) continue;
    if (!store_->drop_range(Space::kHistory, keyspace_range(keyspace)).has_value()) continue;
    if (!reset_expiry(keyspace, false).has_value()) continue;
    throughput_.forget(keyspace);
    insights_.forget(keyspace);
    (void)catalog_->forget_dropped(keyspace);
  }
}

}  // namespace trestle
