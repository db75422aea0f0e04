// UpdateContinuousBackups as JSON.
#pragma once

#include <string>

#include "model/backup_requests.h"
#include "protocol/json_input.h"

namespace trestle {

Result<UpdateContinuousBackupsRequest> read_update_continuous_backups_json(JsonInput input);
void write_update_continuous_backups_json(const UpdateContinuousBackupsResponse& response, std::string& out);

}  // namespace trestle
