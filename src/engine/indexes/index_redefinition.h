// GlobalSecondaryIndexUpdates of UpdateTable: the request's part about indexes, checked in DynamoDB's order and words.
// Pure; see engine/tables/table_redefinition.h for what the caller does with the result.
#pragma once

#include "model/error.h"
#include "model/table_requests.h"

namespace trestle {

// Checks of the updates that do not depend on the table.
Result<void> check_index_updates(const UpdateTableRequest& request);

// Changes the description's indexes: a new index is added at the end, CREATING and backfilling; an index to delete
// becomes DELETING, one with new throughput UPDATING. The table's billing mode and units must already be the new ones.
// Each index counts its own decreases per day; one decrease too many rejects the whole request.
struct IndexChangeContext {
  bool billing_switches = false;  // whether this request changed the mode
  int64_t now_ms = 0;
};
Result<void> change_indexes(TableDescription& table, const UpdateTableRequest& request, IndexChangeContext context);

}  // namespace trestle
