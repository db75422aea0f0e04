// DeleteItem: JSON to request, response to JSON.
#pragma once

#include <string>

#include "model/item_requests.h"
#include "protocol/json_input.h"

namespace trestle {

Result<DeleteItemRequest> read_delete_item_json(JsonInput input);
void write_delete_item_json(const DeleteItemResponse& response, std::string& out);

}  // namespace trestle
