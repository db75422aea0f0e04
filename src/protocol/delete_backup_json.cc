#include "protocol/delete_backup_json.h"

#include "protocol/backup_members.h"

namespace trestle {

Result<DeleteBackupRequest> read_delete_backup_json(JsonInput input) {
  TRY_INTO(std::string arn, read_backup_arn(input));
  return DeleteBackupRequest{.backup_arn = std::move(arn)};
}

void write_delete_backup_json(const DeleteBackupResponse& response, std::string& out) {
  write_backup_response(response.backup, out);
}

}  // namespace trestle
