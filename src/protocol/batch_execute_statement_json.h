// BatchExecuteStatement: JSON to request, response to JSON.
#pragma once

#include <string>

#include "model/statement_requests.h"
#include "protocol/json_input.h"

namespace trestle {

Result<BatchExecuteStatementRequest> read_batch_execute_statement_json(JsonInput input);
void write_batch_execute_statement_json(const BatchExecuteStatementResponse& response, std::string& out);

}  // namespace trestle
