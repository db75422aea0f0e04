#include "base/random_id.h"
#include "engine/recovery/backups.h"
#include "engine/recovery/history_holds.h"
#include "engine/recovery/recovery.h"
#include "engine/recovery/recovery_operations.h"
#include "engine/tables/table_state.h"

namespace trestle {

// Backs up the table as of the moment at which this call takes the hold on its history. Items are copied in the
// background.
Result<CreateBackupResponse> create_backup(EngineParts& parts, const CreateBackupRequest& request, Call&) {
  TRY_INTO(const auto table, find_source_table(parts, request.table_name));
  Backup backup;
  backup.name = request.backup_name;
  backup.created_ms = parts.options.clock->now_ms();
  do {
    const auto suffix = static_cast<uint32_t>(random_u64()) | 1u;  // 0 is for system backups
    backup.arn = backup_arn(table->description.arn, backup.created_ms, suffix);
  } while (parts.catalog->recovery().backup(backup.arn));
  TRY_INTO(const HistoryHold hold,
           hold_history(parts, table->description.name, "backup " + backup.arn, std::nullopt, table->description.id));
  // Reads the description again, after taking the hold, so that it belongs to the moment of the backup.
  const auto held = parts.catalog->find(table->description.name);
  backup.table = table_description(parts, held && held->description.id == hold.table_id ? *held : *table);
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
