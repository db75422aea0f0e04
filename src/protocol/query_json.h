// Query: JSON to request, response to JSON.
#pragma once

#include <string>

#include "model/page_requests.h"
#include "protocol/json_input.h"

namespace trestle {

Result<QueryRequest> read_query_json(JsonInput input);
void write_query_json(const QueryResponse& response, std::string& out);

}  // namespace trestle
