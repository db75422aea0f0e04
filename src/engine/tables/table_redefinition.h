// UpdateTable as a change of the description: checks the request in DynamoDB's order and words and returns the
// resulting description. Pure: the caller finds the table, assigns keyspaces to new indexes, fills or empties them, and
// then updates whatever is CREATING, UPDATING or DELETING.
#pragma once

#include "engine/tables/table_definition.h"
#include "model/error.h"
#include "model/table_requests.h"

namespace trestle {

// Checks of a request that do not depend on the table; DynamoDB makes them before it looks for the table. Most changes
// cannot be combined.
Result<void> check_table_update(const UpdateTableRequest& request);

// The description after the request: with its new settings, UPDATING where DynamoDB changes asynchronously. A new index
// has keyspace zero (engine/indexes/index_redefinition.h). The request must have passed check_table_update().
Result<TableDescription> redefine_table(const TableDescription& current, const UpdateTableRequest& request,
                                        const TableContext& context);

// Removes the attribute definitions that no key needs any more, once a deleted index is gone from the description.
void drop_unused_definitions(TableDescription& table);

}  // namespace trestle
