// ListBackups as JSON.
#pragma once

#include <string>

#include "model/backup_requests.h"
#include "protocol/json_input.h"

namespace trestle {

Result<ListBackupsRequest> read_list_backups_json(JsonInput input);
void write_list_backups_json(const ListBackupsResponse& response, std::string& out);

}  // namespace trestle
