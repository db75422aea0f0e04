// ListBulkOperations as JSON.
#pragma once

#include <string>

#include "model/load_requests.h"
#include "protocol/json_input.h"

namespace trestle {

Result<ListBulkOperationsRequest> read_list_bulk_operations_json(JsonInput input);
void write_list_bulk_operations_json(const ListBulkOperationsResponse& response, std::string& out);

}  // namespace trestle
