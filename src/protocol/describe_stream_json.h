// DescribeStream as JSON: see model/stream_requests.h for what the members mean.
#pragma once

#include <string>

#include "model/stream_requests.h"
#include "protocol/json_input.h"

namespace trestle {

Result<DescribeStreamRequest> read_describe_stream_json(JsonInput input);
void write_describe_stream_json(const DescribeStreamResponse& response, std::string& out);

}  // namespace trestle
