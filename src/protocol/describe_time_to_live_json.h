// DescribeTimeToLive as JSON: see model/table_requests.h for what the members mean.
#pragma once

#include <string>

#include "model/table_requests.h"
#include "protocol/json_input.h"

namespace trestle {

Result<DescribeTimeToLiveRequest> read_describe_time_to_live_json(JsonInput input);
void write_describe_time_to_live_json(const DescribeTimeToLiveResponse& response, std::string& out);

}  // namespace trestle
