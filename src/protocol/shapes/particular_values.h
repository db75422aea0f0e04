// Reads and writes fields whose types have no shape.
#pragma once

#include "model/database.h"
#include "protocol/json/json_input.h"
#include "protocol/json/json_output.h"

namespace trestle {

// KeySchema, without the attributes' types, which are in AttributeDefinitions.
Result<void> read_value(JsonElement json, KeySchema& key, JsonPlace place);
void write_value(JsonOutput& json, const KeySchema& key);

// TableDescription, as in the responses of operations on tables.
Result<void> read_value(JsonElement json, TableDescription& table, JsonPlace place);
void write_value(JsonOutput& json, const TableDescription& table);

// AttributeValues. A value that DynamoDB would refuse cannot be read, because it has no packed form.
Result<void> read_value(JsonElement json, Value& value, JsonPlace place);
void write_value(JsonOutput& json, const Value& value);
Result<void> read_value(JsonElement json, Item& item, JsonPlace place);
void write_value(JsonOutput& json, const Item& item);
Result<void> read_value(JsonElement json, ItemList& items, JsonPlace place);
void write_value(JsonOutput& json, const ItemList& items);

// The cost of a request in its response: protocol/items/capacity_json.cc.
Result<void> read_value(JsonElement json, ConsumedCapacity& capacity, JsonPlace place);
void write_value(JsonOutput& json, const ConsumedCapacity& capacity);
Result<void> read_value(JsonElement json, ItemCollectionMetrics& metrics, JsonPlace place);
void write_value(JsonOutput& json, const ItemCollectionMetrics& metrics);

// The error of one statement of BatchExecuteStatement.
Result<void> read_value(JsonElement json, Error& error, JsonPlace place);
void write_value(JsonOutput& json, const Error& error);

}  // namespace trestle
