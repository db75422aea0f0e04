// The enumerations of backups.
#pragma once

#include "model/backup_requests.h"
#include "model/shapes/choice.h"

namespace trestle {

inline constexpr Choice<BackupType> kBackupTypes[] = {{"USER", BackupType::kUser}, {"SYSTEM", BackupType::kSystem}};
inline constexpr Choice<BackupStatus> kBackupStatuses[] = {{"CREATING", BackupStatus::kCreating},
                                                           {"DELETED", BackupStatus::kDeleted},
                                                           {"AVAILABLE", BackupStatus::kAvailable}};
inline constexpr Choice<BackupTypeFilter> kBackupTypeFilters[] = {{"USER", BackupTypeFilter::kUser},
                                                                  {"SYSTEM", BackupTypeFilter::kSystem},
                                                                  {"AWS_BACKUP", BackupTypeFilter::kAwsBackup},
                                                                  {"ALL", BackupTypeFilter::kAll}};
// PointInTimeRecoveryStatus as a bool: whether it is enabled.
inline constexpr Choice<bool> kRecoveryStatuses[] = {{"ENABLED", true}, {"DISABLED", false}};

}  // namespace trestle
