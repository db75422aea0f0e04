// ExecuteStatement: JSON to request, response to JSON.
#pragma once

#include <string>

#include "model/statement_requests.h"
#include "protocol/json_input.h"

namespace trestle {

Result<ExecuteStatementRequest> read_execute_statement_json(JsonInput input);
void write_execute_statement_json(const ExecuteStatementResponse& response, std::string& out);

}  // namespace trestle
