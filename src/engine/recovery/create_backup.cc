#include "base/random_id.h"
#include "engine/recovery/backups.h"
#include "engine/recovery/history_holds.h"
#include "engine/recovery/recovery.h"
#include "engine/recovery/recovery_operations.h"
#include "engine/tables/table_state.h"

namespace trestle {

// The backup is of the moment at which this call holds the table's history; copying continues in the background.
Result<CreateBackupResponse> create_backup(EngineParts& parts, const CreateBackupRequest& request, Call&) {
  TRY_INTO(const auto table, find_source_table(parts, request.table_name));
  Backup backup;
  backup.name = request.backup_name;
  backup.created_ms = parts.options.clock->now_ms();
  do {
    const auto suffix = static_cast<uint32_t>(random_u64()) | 1u;  // 0 is of backups that the system makes
    backup.arn = backup_arn(table->description.arn, backup.created_ms, suffix);
  } while (parts.catalog->recovery().backup(backup.arn));
  TRY_INTO(const HistoryHold hold,
           hold_history(parts, table->description.name, "backup " + backup.arn, std::nullopt, table->description.id));
  // The description of that moment: a later one could know an index that its items do not.
  const auto held = parts.catalog->find(table->description.name);
  backup.table = described(parts, held && held->description.id == hold.table_id ? *held : *table);
  backup.bytes = backup.table.size_bytes;
  CreateBackupResponse response{backup_details(backup)};
  backup.bytes = 0;
  backup.hold = hold.id;
  const auto added = parts.catalog->add_backup(backup);
  if (!added.has_value()) {
    release_unused(parts, hold.id);
    return std::unexpected(added.error());
  }
  parts.recovery->wake();
  return response;
}

}  // namespace trestle
