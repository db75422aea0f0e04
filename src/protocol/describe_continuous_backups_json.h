// DescribeContinuousBackups as JSON.
#pragma once

#include <string>

#include "model/backup_requests.h"
#include "protocol/json_input.h"

namespace trestle {

Result<DescribeContinuousBackupsRequest> read_describe_continuous_backups_json(JsonInput input);
void write_describe_continuous_backups_json(const DescribeContinuousBackupsResponse& response, std::string& out);

}  // namespace trestle
