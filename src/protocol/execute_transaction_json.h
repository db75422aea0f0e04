// ExecuteTransaction: JSON to request, response to JSON.
#pragma once

#include <string>

#include "model/statement_requests.h"
#include "protocol/json_input.h"

namespace trestle {

Result<ExecuteTransactionRequest> read_execute_transaction_json(JsonInput input);
void write_execute_transaction_json(const ExecuteTransactionResponse& response, std::string& out);

}  // namespace trestle
