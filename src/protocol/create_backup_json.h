// CreateBackup as JSON.
#pragma once

#include <string>

#include "model/backup_requests.h"
#include "protocol/json_input.h"

namespace trestle {

Result<CreateBackupRequest> read_create_backup_json(JsonInput input);
void write_create_backup_json(const CreateBackupResponse& response, std::string& out);

}  // namespace trestle
