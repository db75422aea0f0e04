#include "protocol/describe_backup_json.h"

#include "protocol/backup_members.h"

namespace trestle {

Result<DescribeBackupRequest> read_describe_backup_json(JsonInput input) {
  TRY_INTO(std::string arn, read_backup_arn(input));
  return DescribeBackupRequest{.backup_arn = std::move(arn)};
}

void write_describe_backup_json(const DescribeBackupResponse& response, std::string& out) {
  write_backup_response(response.backup, out);
}

}  // namespace trestle
