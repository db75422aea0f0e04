#include "engine/recovery/backups.h"

#include <fmt/format.h>

#include "engine/parts.h"

namespace trestle {

std::string backup_arn(std::string_view table_arn, int64_t created_ms, uint32_t suffix) {
  return fmt::format("{}/backup/{:014}-{:08x}", table_arn, created_ms, suffix);
}

Result<void> check_backup_arn(std::string_view arn, std::string_view account) {
  // arn:aws:dynamodb:<region>:<account>:table/<table>/backup/<id>
  std::string_view parts[6];
  std::string_view rest = arn;
  for (size_t i = 0; i < 5; ++i) {
    const size_t colon = rest.find(':');
    if (colon == rest.npos) return invalid("Invalid Backup ARN");
    parts[i] = rest.substr(0, colon);
    rest.remove_prefix(colon + 1);
  }
  const size_t backup = rest.find("/backup/");
  const bool is_backup_arn = parts[0] == "arn" && rest.starts_with("table/") && backup != rest.npos && backup > 6 &&
                             rest.size() > backup + 8 && rest.find('/', backup + 8) == rest.npos;
  if (!is_backup_arn) return invalid("Invalid Backup ARN");
  if (parts[1] != "aws" || parts[2] != "dynamodb") return invalid("Invalid Request: BackupArn is not valid");
  if (parts[4] != account) return failure(ErrorCode::kAccessDenied, "Access is denied");
  return {};
}

BackupDetails backup_details(const Backup& backup) {
  return {.arn = backup.arn,
          .name = backup.name,
          .size_bytes = backup.bytes,
          .status = backup.status,
          .type = backup.type,
          .created_ms = backup.created_ms,
          .expires_ms = backup.expires_ms};
}

BackupDescription backup_description(const Backup& backup) {
  return {.details = backup_details(backup), .table = backup.table};
}

Error backup_not_found(std::string_view arn) {
  return {.code = ErrorCode::kBackupNotFound, .message = fmt::format("Backup not found: {}", arn)};
}

Error source_table_not_found(std::string_view name_or_arn) {
  return {.code = ErrorCode::kTableNotFound,
          .message = fmt::format("Table not found: {}", table_name_of(name_or_arn).value_or(name_or_arn))};
}

std::unexpected<Error> recovery_not_enabled(std::string_view table) {
  return failure(ErrorCode::kPointInTimeRecoveryUnavailable,
                 fmt::format("Point in time recovery is not enabled for table '{}'", table));
}

Result<std::shared_ptr<const TableVersion>> find_source_table(const TableParts& parts, std::string_view name_or_arn) {
  const std::string_view name = table_name_of(name_or_arn).value_or(name_or_arn);
  auto table = parts.catalog->find(name);
  TRY(parts.catalog->check_certain(name));
  if (!table || table->description.status == Status::kCreating) {
    return std::unexpected(source_table_not_found(name_or_arn));
  }
  return table;
}

Result<std::shared_ptr<const Backup>> find_backup(const TableParts& parts, std::string_view arn) {
  TRY(check_backup_arn(arn, parts.options.account));
  TRY(parts.catalog->check_certain());
  auto backup = parts.catalog->recovery().backup(arn);
  if (!backup) return std::unexpected(backup_not_found(arn));
  return backup;
}

// Checks the table's status, not only the restore job: the job is removed a moment after the table became ACTIVE, and
// clients may delete or restore the backup as soon as the table is ACTIVE.
bool is_restoring_from(const TableParts& parts, std::string_view backup_arn) {
  for (const auto& restore : parts.catalog->recovery().restores()) {
    if (restore->backup_arn != backup_arn) continue;
    const auto target = parts.catalog->find(restore->table_name);
    if (target && target->description.id == restore->table_id && target->description.restore) return true;
  }
  return false;
}

}  // namespace trestle
