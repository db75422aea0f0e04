// A table's description as JSON, as CreateTable, UpdateTable, DeleteTable and DescribeTable return it. A setting that
// was never set is left out, as the service does; for a table that is being deleted, keys and indexes are left out too.
#pragma once

#include <string>
#include <string_view>

#include "model/table.h"
#include "protocol/json/json_output.h"

namespace trestle {

// "NEW_IMAGE", for example.
std::string_view stream_view_type_name(StreamViewType type);
// A key as a list; and the member "KeySchema".
void write_key_schema_list(const KeySchema& key, JsonOutput& json);
void write_key_schema(const KeySchema& key, JsonOutput& json);

void write_table_description(const TableDescription& table, JsonOutput& json);

// "VectorIndexes" of a table, and of a backup's source, which has no status. Writes nothing if there are none.
void write_vector_index_descriptions(const TableDescription& table, JsonOutput& json);
void write_vector_index_infos(const TableDescription& table, JsonOutput& json);

}  // namespace trestle
