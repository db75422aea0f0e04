// UpdateTimeToLive as JSON: see model/table_requests.h for what the members mean.
#pragma once

#include <string>

#include "model/table_requests.h"
#include "protocol/json_input.h"

namespace trestle {

Result<UpdateTimeToLiveRequest> read_update_time_to_live_json(JsonInput input);
void write_update_time_to_live_json(const UpdateTimeToLiveResponse& response, std::string& out);

}  // namespace trestle
