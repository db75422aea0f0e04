// GetItem: JSON to request, response to JSON.
#pragma once

#include <string>

#include "model/item_requests.h"
#include "protocol/json_input.h"

namespace trestle {

Result<GetItemRequest> read_get_item_json(JsonInput input);
void write_get_item_json(const GetItemResponse& response, std::string& out);

}  // namespace trestle
