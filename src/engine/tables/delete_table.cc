#include <algorithm>

#include "base/test_point.h"
#include "engine/expiry/expiry_fill.h"
#include "engine/indexes/recount.h"
#include "engine/recovery/backups.h"
#include "engine/tables/dropped_keyspaces.h"
#include "engine/tables/find_table.h"
#include "engine/tables/table_operations.h"
#include "engine/tables/table_state.h"

namespace trestle {
namespace {

// The system backup that is created when a table with point in time recovery is deleted.
Backup deleted_table_backup(TableDescription table, int64_t now_ms) {
  constexpr int64_t kRetentionMs = int64_t{35} * 24 * 60 * 60 * 1000;
  Backup backup;
  backup.arn = backup_arn(table.arn, now_ms, 0);
  backup.name = table.name + "$DeletedTableBackup";
  backup.type = BackupType::kSystem;
  backup.status = BackupStatus::kAvailable;
  backup.created_ms = now_ms;
  backup.expires_ms = now_ms + kRetentionMs;
  backup.table = std::move(table);
  return backup;
}

}  // namespace

Result<DeleteTableResponse> delete_table(EngineParts& parts, const DeleteTableRequest& request, Call&) {
  if (const auto deleting = parts.transient.find_deleting(bare_table_name(request.table_name))) {
    TRY(check_table_active(*deleting));
  }
  TRY_INTO(const auto table, find_any_table(parts, request.table_name));
  TableDescription removed_table;
  const auto removed =
      parts.catalog->remove(table->description.name, [&](const TableVersion& newest) -> Result<std::optional<Backup>> {
        TableDescription shown = newest.description;
        parts.transient.show(shown);
        TRY(check_deletable(shown));
        removed_table = table_description(parts, newest);
        if (!newest.description.recovery) return std::nullopt;
        Backup backup = deleted_table_backup(removed_table, parts.options.clock->now_ms());
        backup.counts_pending = parts.recounts_left > 0;
        return backup;
      });
  if (!removed.has_value() && removed_table.name.empty()) return std::unexpected(removed.error());  // rejected
  if (!removed_table.vector_indexes.empty()) parts.vectors->refresh();
  start_freeing(parts);
  recount_backups(parts);
  TRY(removed);
  if (removed_table.recovery) {
    // The backup has taken over the items' keyspace, so the data of the table that depends on it is removed here. The
    // rest is removed when dropped keyspaces are freed.
    TRY(reset_expiry(parts, removed_table.keyspace, false));
    parts.throughput.forget(removed_table.keyspace);
    parts.insights.forget(removed_table.keyspace);
  }
  removed_table.status = Status::kDeleting;
  parts.transient.begin(removed_table);
  return DeleteTableResponse{std::move(removed_table)};
}

}  // namespace trestle
