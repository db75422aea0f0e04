// RestoreTableToPointInTime as JSON.
#pragma once

#include <string>

#include "model/backup_requests.h"
#include "protocol/json_input.h"

namespace trestle {

Result<RestoreTableToPointInTimeRequest> read_restore_table_to_point_in_time_json(JsonInput input);
void write_restore_table_to_point_in_time_json(const RestoreTableToPointInTimeResponse& response, std::string& out);

}  // namespace trestle
