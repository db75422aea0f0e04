// PutItem: JSON to request, response to JSON.
#pragma once

#include <string>

#include "model/item_requests.h"
#include "protocol/json_input.h"

namespace trestle {

Result<PutItemRequest> read_put_item_json(JsonInput input);
void write_put_item_json(const PutItemResponse& response, std::string& out);

}  // namespace trestle
