// Finds the table that a request names. Each kind of operation has its own error if there is none.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "engine/parts.h"
#include "model/database.h"

namespace trestle {

// For operations on items; fails with "Requested resource not found".
Result<std::shared_ptr<const TableVersion>> find_table(const TableParts& parts, std::string_view name_or_arn);
// The same, for writing to the table.
Result<WritableTable> open_table(const TableParts& parts, std::string_view name_or_arn);
// Records the table of a request for metrics and logs, if the request names exactly one table, which exists.
void note_table(const TableParts& parts, const std::vector<std::string_view>& names, Call& call);
// For operations on tables, with their error messages. A table that is being restored is visible only to DescribeTable
// and DeleteTable, which call find_any_table().
Result<std::shared_ptr<const TableVersion>> find_described_table(const TableParts& parts, std::string_view name_or_arn);
std::string_view bare_table_name(std::string_view name_or_arn);
Result<std::shared_ptr<const TableVersion>> find_any_table(const TableParts& parts, std::string_view name_or_arn);

}  // namespace trestle
