// TransactGetItems: JSON to request, response to JSON.
#pragma once

#include <string>

#include "model/transact_requests.h"
#include "protocol/json_input.h"

namespace trestle {

Result<TransactGetItemsRequest> read_transact_get_items_json(JsonInput input);
void write_transact_get_items_json(const TransactGetItemsResponse& response, std::string& out);

}  // namespace trestle
