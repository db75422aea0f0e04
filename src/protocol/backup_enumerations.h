// The enumerations of backups.
#pragma once

#include "model/backup_requests.h"
#include "protocol/constraints.h"

namespace trestle {

inline constexpr Choice<BackupType> kBackupTypes[] = {{"USER", BackupType::kUser}, {"SYSTEM", BackupType::kSystem}};
inline constexpr Choice<BackupStatus> kBackupStatuses[] = {{"CREATING", BackupStatus::kCreating},
                                                           {"DELETED", BackupStatus::kDeleted},
                                                           {"AVAILABLE", BackupStatus::kAvailable}};
inline constexpr Choice<BackupTypeFilter> kBackupTypeFilters[] = {{"USER", BackupTypeFilter::kUser},
                                                                  {"SYSTEM", BackupTypeFilter::kSystem},
                                                                  {"AWS_BACKUP", BackupTypeFilter::kAwsBackup},
                                                                  {"ALL", BackupTypeFilter::kAll}};

}  // namespace trestle
