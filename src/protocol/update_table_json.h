// UpdateTable as JSON: see model/table_requests.h for what the members mean.
#pragma once

#include <string>

#include "model/table_requests.h"
#include "protocol/json_input.h"

namespace trestle {

Result<UpdateTableRequest> read_update_table_json(JsonInput input);
void write_update_table_json(const UpdateTableResponse& response, std::string& out);

}  // namespace trestle
