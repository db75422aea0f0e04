// GetRecords as JSON: see model/stream_requests.h for what the members mean.
#pragma once

#include <string>

#include "model/stream_requests.h"
#include "protocol/json_input.h"

namespace trestle {

Result<GetRecordsRequest> read_get_records_json(JsonInput input);
void write_get_records_json(const GetRecordsResponse& response, std::string& out);

}  // namespace trestle
