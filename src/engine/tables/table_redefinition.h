// Applies UpdateTable to a table's description: checks the request in DynamoDB's order and with its messages, and
// returns the resulting description. Pure: the caller finds the table, assigns keyspaces to new indexes, fills or
// empties indexes, and then ends the statuses CREATING, UPDATING and DELETING.
#pragma once

#include "engine/tables/table_definition.h"
#include "model/error.h"
#include "model/table_requests.h"

namespace trestle {

// Checks that do not depend on the table. DynamoDB makes them before it looks up the table. Most changes cannot be
// combined in one request.
Result<void> check_table_update(const UpdateTableRequest& request);

// The description with the new settings, UPDATING if DynamoDB makes the change asynchronously. A new index has keyspace
// zero (engine/indexes/index_redefinition.h). The request must have passed check_table_update().
Result<TableDescription> redefine_table(const TableDescription& current, const UpdateTableRequest& request,
                                        const TableContext& context);

// Removes attribute definitions that no key uses. Call it after removing a deleted index from the description.
void drop_unused_definitions(TableDescription& table);

}  // namespace trestle
