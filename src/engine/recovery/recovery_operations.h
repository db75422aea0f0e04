// DynamoDB's operations on backups, restores and point-in-time recovery.
#pragma once

#include "engine/parts.h"
#include "model/database.h"

namespace trestle {

Result<CreateBackupResponse> create_backup(EngineParts& parts, const CreateBackupRequest& request, Call& call);
Result<DeleteBackupResponse> delete_backup(EngineParts& parts, const DeleteBackupRequest& request, Call& call);
Result<DescribeBackupResponse> describe_backup(TableParts& parts, const DescribeBackupRequest& request, Call& call);
Result<DescribeContinuousBackupsResponse> describe_continuous_backups(TableParts& parts,
                                                                      const DescribeContinuousBackupsRequest& request,
                                                                      Call& call);
Result<ListBackupsResponse> list_backups(TableParts& parts, const ListBackupsRequest& request, Call& call);
Result<RestoreTableFromBackupResponse> restore_table_from_backup(EngineParts& parts,
                                                                 const RestoreTableFromBackupRequest& request,
                                                                 Call& call);
Result<RestoreTableToPointInTimeResponse> restore_table_to_point_in_time(
    EngineParts& parts, const RestoreTableToPointInTimeRequest& request, Call& call);
Result<UpdateContinuousBackupsResponse> update_continuous_backups(EngineParts& parts,
                                                                  const UpdateContinuousBackupsRequest& request,
                                                                  Call& call);

}  // namespace trestle
