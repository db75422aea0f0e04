#include <algorithm>

#include "base/test_point.h"
#include "engine/engine.h"
#include "engine/recovery/backups.h"

namespace trestle {
namespace {

// The system backup of a deleted table that had point in time recovery.
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
  TableDescription removed_table;
  const auto removed =
      catalog_->remove(table->description.name, [&](const TableVersion& newest) -> Result<std::optional<Backup>> {
        TRY(check_deletable(newest.description));
        removed_table = described(newest);
        if (!newest.description.recovery) return std::nullopt;
        return deleted_table_backup(removed_table, options_.clock->now_ms());
      });
  if (!removed.has_value() && removed_table.name.empty()) return std::unexpected(removed.error());  // refused
  if (!removed_table.vector_indexes.empty()) vectors_->tend();
  start_freeing();
  TRY(removed);
  if (removed_table.recovery) {
    // Its items have become the backup's; the rest of the table goes with its keyspaces.
    TRY(reset_expiry(removed_table.keyspace, false));
    throughput_.forget(removed_table.keyspace);
    insights_.forget(removed_table.keyspace);
  }
  removed_table.status = Status::kDeleting;
  return DeleteTableResponse{std::move(removed_table)};
}

void Engine::start_freeing() {
  if (catalog_->dropped().empty()) return;
  background_.add("free", [this](JobRun&) { return free_dropped_keyspace(); });
}

// Frees one of them. idle(): the rest is still being read, and the reader starts this again when it is done.
JobOutcome Engine::free_dropped_keyspace() {
  const auto dropped = catalog_->dropped();
  const auto next =
      std::ranges::find_if_not(dropped, [&](uint32_t keyspace) { return catalog_->recovery().is_read(keyspace); });
  if (next == dropped.end()) return JobOutcome::idle();
  TRESTLE_TEST_POINT("free.keyspace");
  // Files are deleted immediately and irrevocably: a crash must not bring the table back without them.
  if (!store_->sync().has_value()) return JobOutcome::failed();
  if (!store_->drop_range(Space::kItems, keyspace_range(*next)).has_value() ||
      !store_->drop_range(Space::kHistory, keyspace_range(*next)).has_value() ||
      !reset_expiry(*next, false).has_value()) {
    return JobOutcome::failed();
  }
  throughput_.forget(*next);
  insights_.forget(*next);
  return catalog_->forget_dropped(*next).has_value() ? JobOutcome::worked() : JobOutcome::failed();
}

}  // namespace trestle
