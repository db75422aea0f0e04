// Parts of tables that several answers tell.
#pragma once

#include "model/table.h"
#include "protocol/json_input.h"

namespace trestle {

// Without the types of the attributes, which AttributeDefinitions tells.
Result<void> take(JsonElement json, KeySchema& key);
Result<void> take(JsonElement json, Tag& tag);
// As CreateTable, UpdateTable, DeleteTable and DescribeTable answer it.
Result<void> take(JsonElement json, TableDescription& table);

}  // namespace trestle
