// A table's description as JSON, as CreateTable, UpdateTable, DeleteTable and DescribeTable answer it.
// A setting that was never made is left out, as the service does; a table that is being deleted no longer tells its
// keys and indexes.
#pragma once

#include <string>
#include <string_view>

#include "model/table.h"
#include "protocol/json_output.h"

namespace trestle {

// "NEW_IMAGE" and its like.
std::string_view stream_view_type_name(StreamViewType type);
// The member "KeySchema".
void write_key_schema(const KeySchema& key, JsonOutput& json);

void write_table_description(const TableDescription& table, JsonOutput& json);

// {"<member>": description}: "Table" for DescribeTable, "TableDescription" for the rest.
void write_table_response(std::string_view member, const TableDescription& table, std::string& out);

}  // namespace trestle
