// DescribeBackup as JSON.
#pragma once

#include <string>

#include "model/backup_requests.h"
#include "protocol/json_input.h"

namespace trestle {

Result<DescribeBackupRequest> read_describe_backup_json(JsonInput input);
void write_describe_backup_json(const DescribeBackupResponse& response, std::string& out);

}  // namespace trestle
