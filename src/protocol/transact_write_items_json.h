// TransactWriteItems: JSON to request, response to JSON.
#pragma once

#include <string>

#include "model/transact_requests.h"
#include "protocol/json_input.h"

namespace trestle {

Result<TransactWriteItemsRequest> read_transact_write_items_json(JsonInput input);
void write_transact_write_items_json(const TransactWriteItemsResponse& response, std::string& out);

}  // namespace trestle
