// State of tables apart from their definitions: counts, stream labels, and the throughput that they reserve.
#pragma once

#include <string_view>

#include "engine/parts.h"
#include "engine/tables/table_definition.h"

namespace trestle {

// The context of a table's definition or change by the current request.
TableContext table_context(const TableParts& parts);
// The table's description with its current counts.
TableDescription table_description(const TableParts& parts, const TableVersion& table);
// Makes a new stream's label, which is its time, unique: uses a later time if the label is taken.
void distinguish_stream(const TableParts& parts, TableDescription& table, std::string_view label_before);
// The throughput that all tables reserve now.
Throughput reserved_by_account(const TableParts& parts);

}  // namespace trestle
