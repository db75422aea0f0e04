#include "base/random_id.h"
#include "engine/engine.h"
#include "engine/recovery/backups.h"
#include "engine/recovery/recovery.h"

namespace trestle {

// The backup is of the moment at which this call holds the table's history; copying continues in the background.
Result<CreateBackupResponse> Engine::create_backup(const CreateBackupRequest& request, Call&) {
  TRY_INTO(const auto table, find_source_table(request.table_name));
  Backup backup;
  backup.name = request.backup_name;
  backup.created_ms = options_.clock->now_ms();
  do {
    const auto suffix = static_cast<uint32_t>(random_u64()) | 1u;  // 0 is of backups that the system makes
    backup.arn = backup_arn(table->description.arn, backup.created_ms, suffix);
  } while (catalog_->recovery().backup(backup.arn));
  TRY_INTO(const HistoryHold hold,
           hold_history(table->description.name, "backup " + backup.arn, std::nullopt, table->description.id));
  // The description of that moment: a later one could know an index that its items do not.
  const auto held = catalog_->find(table->description.name);
  backup.table = described(held && held->description.id == hold.table_id ? *held : *table);
  backup.bytes = backup.table.size_bytes;
  CreateBackupResponse response{backup_details(backup)};
  backup.bytes = 0;
  backup.hold = hold.id;
  const auto added = catalog_->add_backup(backup);
  if (!added.has_value()) {
    release_unused(hold.id);
    return std::unexpected(added.error());
  }
  recovery_->wake();
  return response;
}

}  // namespace trestle
