// The JSON of fields whose types have no shape.
#pragma once

#include "model/database.h"
#include "protocol/json/json_input.h"
#include "protocol/json/json_output.h"

namespace trestle {

// KeySchema, without the types of the attributes, which AttributeDefinitions has.
Result<void> read_value(JsonElement json, KeySchema& key, JsonPlace place);
void write_value(JsonOutput& json, const KeySchema& key);

// TableDescription, as the operations on tables answer it.
Result<void> read_value(JsonElement json, TableDescription& table, JsonPlace place);
void write_value(JsonOutput& json, const TableDescription& table);

// BulkOperationUsage: a list of one element, since there is one table.
Result<void> read_value(JsonElement json, BulkUsage& usage, JsonPlace place);
void write_value(JsonOutput& json, const BulkUsage& usage);

// An AttributeValue.
Result<void> read_value(JsonElement json, Value& value, JsonPlace place);
void write_value(JsonOutput& json, const Value& value);

}  // namespace trestle
