#include "engine/engine.h"
#include "engine/recovery/backups.h"

namespace trestle {

Result<DescribeBackupResponse> Engine::describe_backup(const DescribeBackupRequest& request, Call&) {
  TRY_INTO(const auto backup, find_backup(request.backup_arn));
  return DescribeBackupResponse{backup_description(*backup)};
}

}  // namespace trestle
