// BatchWriteItem: JSON to request, response to JSON.
#pragma once

#include <string>

#include "model/batch_requests.h"
#include "protocol/json_input.h"

namespace trestle {

Result<BatchWriteItemRequest> read_batch_write_item_json(JsonInput input);
void write_batch_write_item_json(const BatchWriteItemResponse& response, std::string& out);

}  // namespace trestle
