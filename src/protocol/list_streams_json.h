// ListStreams as JSON: see model/stream_requests.h for what the members mean.
#pragma once

#include <string>

#include "model/stream_requests.h"
#include "protocol/json_input.h"

namespace trestle {

Result<ListStreamsRequest> read_list_streams_json(JsonInput input);
void write_list_streams_json(const ListStreamsResponse& response, std::string& out);

}  // namespace trestle
