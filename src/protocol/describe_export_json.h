// DescribeExport as JSON.
#pragma once

#include <string>

#include "model/export_requests.h"
#include "protocol/json_input.h"

namespace trestle {

Result<DescribeExportRequest> read_describe_export_json(JsonInput input);
void write_describe_export_json(const DescribeExportResponse& response, std::string& out);

}  // namespace trestle
