// A table's description as JSON, as CreateTable, UpdateTable, DeleteTable and DescribeTable answer it.
// A setting that was never made is left out, as the service does; a table that is being deleted no longer tells its
// keys and indexes.
#pragma once

#include <string>
#include <string_view>

#include "model/table.h"
#include "protocol/json/json_output.h"

namespace trestle {

// "NEW_IMAGE" and its like.
std::string_view stream_view_type_name(StreamViewType type);
// A key as a list; and the member "KeySchema".
void write_key_schema_list(const KeySchema& key, JsonOutput& json);
void write_key_schema(const KeySchema& key, JsonOutput& json);

void write_table_description(const TableDescription& table, JsonOutput& json);

// "VectorIndexes" of a table, and of a backup's source, which tells no state. Nothing if there are none.
void write_vector_index_descriptions(const TableDescription& table, JsonOutput& json);
void write_vector_index_infos(const TableDescription& table, JsonOutput& json);

}  // namespace trestle
