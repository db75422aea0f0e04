// BatchGetItem: JSON to request, response to JSON.
#pragma once

#include <string>

#include "model/batch_requests.h"
#include "protocol/json_input.h"

namespace trestle {

Result<BatchGetItemRequest> read_batch_get_item_json(JsonInput input);
void write_batch_get_item_json(const BatchGetItemResponse& response, std::string& out);

}  // namespace trestle
