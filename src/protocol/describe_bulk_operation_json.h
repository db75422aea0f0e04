// DescribeBulkOperation as JSON.
#pragma once

#include <string>

#include "model/load_requests.h"
#include "protocol/json_input.h"

namespace trestle {

Result<DescribeBulkOperationRequest> read_describe_bulk_operation_json(JsonInput input);
void write_describe_bulk_operation_json(const DescribeBulkOperationResponse& response, std::string& out);

}  // namespace trestle
