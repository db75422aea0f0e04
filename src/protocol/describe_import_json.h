// DescribeImport as JSON.
#pragma once

#include <string>

#include "model/load_requests.h"
#include "protocol/json_input.h"

namespace trestle {

Result<DescribeImportRequest> read_describe_import_json(JsonInput input);
void write_describe_import_json(const DescribeImportResponse& response, std::string& out);

}  // namespace trestle
