// Vector indexes in the client's direction.
#pragma once

#include "model/table_requests.h"
#include "protocol/json_input.h"
#include "protocol/json_output.h"

namespace trestle {

// The members of an index to create, and of one VectorIndexUpdate.
void put_vector_index(JsonOutput& json, const VectorIndexDefinition& index);
void put_vector_index_update(JsonOutput& json, const VectorIndexUpdate& update);

// Without the types of the attributes, which AttributeDefinitions tells.
Result<void> take(JsonElement json, VectorIndexDescription& index);

}  // namespace trestle
