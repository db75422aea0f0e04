// ExportTableToPointInTime as JSON.
#pragma once

#include <string>

#include "model/export_requests.h"
#include "protocol/json_input.h"

namespace trestle {

Result<ExportTableToPointInTimeRequest> read_export_table_to_point_in_time_json(JsonInput input);
void write_export_table_to_point_in_time_json(const ExportTableToPointInTimeResponse& response, std::string& out);

}  // namespace trestle
