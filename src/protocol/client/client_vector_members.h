// Vector indexes in the client's direction.
#pragma once

#include "model/table_requests.h"
#include "protocol/json/json_input.h"

namespace trestle {

// Without the types of the attributes, which AttributeDefinitions tells.
Result<void> take(JsonElement json, VectorIndexDescription& index);

}  // namespace trestle
