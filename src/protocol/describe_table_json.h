// DescribeTable as JSON: see model/table_requests.h for what the members mean.
#pragma once

#include <string>

#include "model/table_requests.h"
#include "protocol/json_input.h"

namespace trestle {

Result<DescribeTableRequest> read_describe_table_json(JsonInput input);
void write_describe_table_json(const DescribeTableResponse& response, std::string& out);

}  // namespace trestle
