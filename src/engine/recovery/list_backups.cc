#include "engine/recovery/backups.h"
#include "engine/recovery/recovery_operations.h"

namespace trestle {
namespace {

constexpr int64_t kBackupsPerPage = 100;

bool matches(BackupTypeFilter filter, BackupType type) {
  switch (filter) {
    case BackupTypeFilter::kUser:
      return type == BackupType::kUser;
    case BackupTypeFilter::kSystem:
      return type == BackupType::kSystem;
    case BackupTypeFilter::kAwsBackup:
      return false;
    case BackupTypeFilter::kAll:
      return true;
  }
  return false;
}

bool matches(const ListBackupsRequest& request, const Backup& backup) {
  if (request.table_name && backup.table.name != table_name_of(*request.table_name).value_or(*request.table_name)) {
    return false;
  }
  if (request.lower_bound_ms && backup.created_ms < *request.lower_bound_ms) return false;
  if (request.upper_bound_ms && backup.created_ms >= *request.upper_bound_ms) return false;
  return matches(request.type, backup.type);
}

}  // namespace

Result<ListBackupsResponse> list_backups(TableParts& parts, const ListBackupsRequest& request, Call&) {
  if (request.lower_bound_ms && request.upper_bound_ms && *request.lower_bound_ms > *request.upper_bound_ms) {
    return invalid_parameter("Time range lower bound must be less than or equal to upper bound");
  }
  TRY(parts.catalog->check_certain());
  const auto limit = static_cast<size_t>(request.limit.value_or(kBackupsPerPage));
  ListBackupsResponse response;
  for (const auto& backup : parts.catalog->recovery().backups()) {
    if (request.exclusive_start_backup_arn && backup->arn <= *request.exclusive_start_backup_arn) continue;
    if (!matches(request, *backup)) continue;
    if (response.backups.size() == limit) {
      response.last_evaluated_backup_arn = response.backups.back().details.arn;
      break;
    }
    response.backups.push_back({.details = backup_details(*backup),
                                .table_name = backup->table.name,
                                .table_id = backup->table.id,
                                .table_arn = backup->table.arn});
  }
  return response;
}

}  // namespace trestle
