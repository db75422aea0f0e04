// GlobalSecondaryIndexUpdates of UpdateTable: the request's part about indexes, checked in DynamoDB's order and words.
// Pure; see engine/tables/table_redefinition.h for what the caller does with the result.
#pragma once

#include "model/error.h"
#include "model/table_requests.h"

namespace trestle {

// What is wrong with the updates whatever the table is.
Result<void> check_index_updates(const UpdateTableRequest& request);

// Changes the description's indexes: one to create is added at the end, CREATING and backfilling; one to delete is
// DELETING, one whose figures change UPDATING. The table's own billing mode and units are the new ones already. An
// index has its own count of decreases in a day; one too many refuses the whole request.
struct IndexChangeContext {
  bool billing_switches = false;  // whether this request changed the mode
  int64_t now_ms = 0;
};
Result<void> change_indexes(TableDescription& table, const UpdateTableRequest& request, IndexChangeContext context);

}  // namespace trestle
