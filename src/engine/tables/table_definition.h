// A table as CreateTable defines it: the request checked in DynamoDB's order and words, and turned into a description.
// Pure: whether the name is taken, and which keyspaces hold the items, is the caller's business.
#pragma once

#include <string_view>

#include "model/error.h"
#include "model/table_requests.h"

namespace trestle {

// Region, account and time of a table's definition or change. Borrows its texts.
struct TableContext {
  std::string_view region;
  std::string_view account;
  int64_t now_ms = 0;
  std::string_view table_id;  // a fresh UUID; CreateTable only
};

// The description of a new table: it and its global indexes are CREATING, keyspaces are zero.
Result<TableDescription> define_table(const CreateTableRequest& request, const TableContext& context);

// The engine's errors if the table already exists, or does not.
Error table_already_exists(std::string_view table);
// For operations on tables. Operations on items only say "Requested resource not found".
Error table_not_found(std::string_view table);

// Refuses to change a table that is being created, updated or deleted.
Result<void> check_table_settled(const TableDescription& table);
// Whether DeleteTable is possible: not while an index is being created, whatever the table's status.
Result<void> check_deletable(const TableDescription& table);

// Starts a stream: the view type, and a label by the time.
void start_stream(TableDescription& table, StreamViewType view_type, int64_t now_ms);
// Only KMS, and only when enabled. The key becomes an ARN.
Result<SseSpecification> define_sse(const SseSpecification& sse, const TableContext& context);

}  // namespace trestle
