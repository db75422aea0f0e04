// A table's description as JSON, as CreateTable, UpdateTable, DeleteTable and DescribeTable return it. Like DynamoDB,
// it omits settings that were never set, and the keys and indexes of a table that is being deleted.
#pragma once

#include <string>
#include <string_view>

#include "model/table.h"
#include "protocol/json/json_output.h"

namespace trestle {

// The name of the type, such as "NEW_IMAGE".
std::string_view stream_view_type_name(StreamViewType type);
// The first writes a key as a list, the second the member "KeySchema".
void write_key_schema_list(const KeySchema& key, JsonOutput& json);
void write_key_schema(const KeySchema& key, JsonOutput& json);

void write_table_description(const TableDescription& table, JsonOutput& json);

}  // namespace trestle
