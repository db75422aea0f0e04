#include "engine/recovery/backups.h"
#include "engine/recovery/recovery_operations.h"

namespace trestle {

Result<DescribeBackupResponse> describe_backup(TableParts& parts, const DescribeBackupRequest& request, Call&) {
  TRY_INTO(const auto backup, find_backup(parts, request.backup_arn));
  return DescribeBackupResponse{backup_description(*backup)};
}

}  // namespace trestle
