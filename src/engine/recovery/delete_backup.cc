#include <fmt/format.h>

#include "base/utc_text.h"
#include "engine/recovery/backups.h"
#include "engine/recovery/recovery_operations.h"
#include "engine/tables/dropped_keyspaces.h"

namespace trestle {

// The backup is deleted before the response; its space is freed in the background.
Result<DeleteBackupResponse> delete_backup(EngineParts& parts, const DeleteBackupRequest& request, Call&) {
  MutexLock lock(parts.restore_mutex);  // excludes the beginning of a restore from the backup
  TRY_INTO(const auto backup, find_backup(parts, request.backup_arn));
  if (backup->type == BackupType::kSystem) {
    return invalid(fmt::format(
        "Invalid Request: User is not allowed to delete the system backup with arn {}. It will automatically expire on "
        "{}",
        backup->arn, utc_text(backup->expires_ms)));
  }
  if (backup->status == BackupStatus::kCreating) {
    return failure(ErrorCode::kBackupInUse, fmt::format("Backup is being created: {}", backup->arn));
  }
  if (is_restoring_from(parts, backup->arn)) {
    return failure(ErrorCode::kBackupInUse, fmt::format("Backup is being used to restore table: {}", backup->arn));
  }
  DeleteBackupResponse response{backup_description(*backup)};
  response.backup.details.status = BackupStatus::kDeleted;
  const auto removed = parts.catalog->remove_backup(*backup);
  start_freeing(parts);
  TRY(removed);
  return response;
}

}  // namespace trestle
