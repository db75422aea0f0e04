// Reads vector indexes on the client.
#pragma once

#include "model/table_requests.h"
#include "protocol/json/json_input.h"

namespace trestle {

// Does not read the types of the attributes, which are in AttributeDefinitions.
Result<void> read_value(JsonElement json, VectorIndexDescription& index, JsonPlace place);

}  // namespace trestle
