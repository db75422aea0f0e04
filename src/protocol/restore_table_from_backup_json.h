// RestoreTableFromBackup as JSON.
#pragma once

#include <string>

#include "model/backup_requests.h"
#include "protocol/json_input.h"

namespace trestle {

Result<RestoreTableFromBackupRequest> read_restore_table_from_backup_json(JsonInput input);
void write_restore_table_from_backup_json(const RestoreTableFromBackupResponse& response, std::string& out);

}  // namespace trestle
