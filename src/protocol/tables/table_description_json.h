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

// Writes a list of the local or the global indexes, unless there are none. `write_members` writes those of one index.
template <class WriteMembers>
void write_indexes(std::string_view name, bool global, const TableDescription& table, JsonOutput& json,
                   WriteMembers write_members) {
  bool any = false;
  for (const IndexDescription& index : table.indexes) {
    if (index.global != global) continue;
    if (!any) json.key(name).begin_array();
    any = true;
    json.begin_object();
    write_members(index);
    json.end_object();
  }
  if (any) json.end_array();
}

// Nothing if the table is not encrypted with a key of the user.
void write_sse_description(const SseSpecification& sse, JsonOutput& json);

void write_table_description(const TableDescription& table, JsonOutput& json);

}  // namespace trestle
