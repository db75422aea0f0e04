// UpdateItem: JSON to request, response to JSON.
#pragma once

#include <string>

#include "model/item_requests.h"
#include "protocol/json_input.h"

namespace trestle {

Result<UpdateItemRequest> read_update_item_json(JsonInput input);
void write_update_item_json(const UpdateItemResponse& response, std::string& out);

}  // namespace trestle
