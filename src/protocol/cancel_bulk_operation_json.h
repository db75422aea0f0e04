// CancelBulkOperation as JSON.
#pragma once

#include <string>

#include "model/load_requests.h"
#include "protocol/json_input.h"

namespace trestle {

Result<CancelBulkOperationRequest> read_cancel_bulk_operation_json(JsonInput input);
void write_cancel_bulk_operation_json(const CancelBulkOperationResponse& response, std::string& out);

}  // namespace trestle
