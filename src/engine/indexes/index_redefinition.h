// GlobalSecondaryIndexUpdates of UpdateTable, checked in DynamoDB's order and with its messages. Pure;
// engine/tables/table_redefinition.h describes what the caller does with the result.
#pragma once

#include "model/error.h"
#include "model/table_requests.h"

namespace trestle {

// Checks of the updates that do not depend on the table.
Result<void> check_index_updates(const UpdateTableRequest& request);

// Changes the description's indexes. A new index is added at the end, CREATING and backfilling; an index to delete
// becomes DELETING; an index with new throughput becomes UPDATING. The table's billing mode and units must already be
// the new ones. Decreases per day are counted for each index separately; if one index exceeds the limit, the whole
// request is rejected.
struct IndexChangeContext {
  bool billing_switches = false;  // whether this request changed the mode
  int64_t now_ms = 0;
};
Result<void> change_indexes(TableDescription& table, const UpdateTableRequest& request, IndexChangeContext context);

}  // namespace trestle
