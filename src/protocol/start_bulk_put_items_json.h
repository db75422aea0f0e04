// StartBulkPutItems as JSON.
#pragma once

#include <string>

#include "model/load_requests.h"
#include "protocol/json_input.h"

namespace trestle {

Result<StartBulkPutItemsRequest> read_start_bulk_put_items_json(JsonInput input);
void write_start_bulk_put_items_json(const StartBulkPutItemsResponse& response, std::string& out);

}  // namespace trestle
