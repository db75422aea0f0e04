// DescribeLimits as JSON: see model/table_requests.h for what the members mean.
#pragma once

#include <string>

#include "model/table_requests.h"
#include "protocol/json_input.h"

namespace trestle {

Result<DescribeLimitsRequest> read_describe_limits_json(JsonInput input);
void write_describe_limits_json(const DescribeLimitsResponse& response, std::string& out);

}  // namespace trestle
