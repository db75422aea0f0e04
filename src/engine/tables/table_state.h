// The state of tables beside their definitions: counts, streams, and units that they reserve.
#pragma once

#include <string_view>

#include "engine/parts.h"
#include "engine/tables/table_definition.h"

namespace trestle {

// What a new definition records beside the request.
TableContext table_context(const TableParts& parts);
// A description with the counts of now.
TableDescription described(const TableParts& parts, const TableVersion& table);
// A new stream's label is its time; uses a later one if the label is taken.
void distinguish_stream(const TableParts& parts, TableDescription& table, std::string_view label_before);
// The units that all tables reserve now.
Throughput reserved_by_account(const TableParts& parts);

}  // namespace trestle
