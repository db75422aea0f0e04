// Defines a table from a CreateTable request: checks the request in DynamoDB's order and with its messages, and turns
// it into a description. Pure: the caller checks whether the name is taken, and assigns keyspaces.
#pragma once

#include <string_view>

#include "model/error.h"
#include "model/table_requests.h"

namespace trestle {

// Region, account and time of a table's definition or change. Borrows its strings.
struct TableContext {
  std::string_view region;
  std::string_view account;
  int64_t now_ms = 0;
  std::string_view table_id;  // a fresh UUID; CreateTable only
};

// The description of a new table. The table and its global indexes are CREATING; keyspaces are zero.
Result<TableDescription> define_table(const CreateTableRequest& request, const TableContext& context);

// The errors if a table already exists, or does not exist.
Error table_already_exists(std::string_view table);
// For operations on tables. The error of operations on items is only "Requested resource not found".
Error table_not_found(std::string_view table);

// Rejects a change of a table that is being created, updated or deleted.
Result<void> check_table_active(const TableDescription& table);
// Checks that the table can be deleted: not while an index is being created, whatever the table's status.
Result<void> check_deletable(const TableDescription& table);

// Starts a stream: sets the view type, and a label derived from the time.
void start_stream(TableDescription& table, StreamViewType view_type, int64_t now_ms);
// Resolves an SSE specification. Only an enabled one may name a type, which must be KMS, or a key, which becomes an
// ARN.
Result<SseSpecification> define_sse(const SseSpecification& sse, const TableContext& context);

}  // namespace trestle
