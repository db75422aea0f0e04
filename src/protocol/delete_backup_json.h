// DeleteBackup as JSON.
#pragma once

#include <string>

#include "model/backup_requests.h"
#include "protocol/json_input.h"

namespace trestle {

Result<DeleteBackupRequest> read_delete_backup_json(JsonInput input);
void write_delete_backup_json(const DeleteBackupResponse& response, std::string& out);

}  // namespace trestle
