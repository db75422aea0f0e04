// Functions shared by the operations on backups.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "engine/parts.h"
#include "model/backup_requests.h"
#include "model/error.h"
#include "storage/catalog/recovery_catalog.h"

namespace trestle {

// "arn:aws:dynamodb:<region>:<account>:table/<table>/backup/01791526119669-fd87be64".
std::string backup_arn(std::string_view table_arn, int64_t created_ms, uint32_t suffix);
// Checks that the text is a backup ARN of this account.
Result<void> check_backup_arn(std::string_view arn, std::string_view account);

BackupDetails backup_details(const Backup& backup);
BackupDescription backup_description(const Backup& backup);

Error backup_not_found(std::string_view arn);
// For operations on backups and points in time. Operations on tables report ResourceNotFoundException instead.
Error source_table_not_found(std::string_view name_or_arn);
std::unexpected<Error> recovery_not_enabled(std::string_view table);

// Finds the table for an operation on backups. Fails with source_table_not_found().
Result<std::shared_ptr<const TableVersion>> find_source_table(const TableParts& parts, std::string_view name_or_arn);
Result<std::shared_ptr<const Backup>> find_backup(const TableParts& parts, std::string_view arn);
// Whether a table is being restored from the backup.
bool is_restoring_from(const TableParts& parts, std::string_view backup_arn);

}  // namespace trestle
