// The table that a request names, with the error of its kind of operation if there is none.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "engine/parts.h"
#include "model/database.h"

namespace trestle {

// The table of an operation on items; "Requested resource not found" if there is none.
Result<std::shared_ptr<const TableVersion>> find_table(const TableParts& parts, std::string_view name_or_arn);
// The same, to be written to.
Result<WritableTable> open_table(const TableParts& parts, std::string_view name_or_arn);
// Records the table of a request for metrics and logs, if it names exactly one table and that exists.
void note_table(const TableParts& parts, const std::vector<std::string_view>& names, Call& call);
// The table of an operation on tables, with that operation's error message. A table that is being restored is visible
// only to DescribeTable and DeleteTable.
Result<std::shared_ptr<const TableVersion>> find_described_table(const TableParts& parts, std::string_view name_or_arn);
std::string_view bare_table_name(std::string_view name_or_arn);
Result<std::shared_ptr<const TableVersion>> find_any_table(const TableParts& parts, std::string_view name_or_arn);

}  // namespace trestle
