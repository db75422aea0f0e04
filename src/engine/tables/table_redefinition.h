// A table as UpdateTable changes it: the request checked in DynamoDB's order and words, and the description that
// results. Pure: the caller finds the table, gives new indexes their keyspaces, fills or empties them, and settles what
// is CREATING, UPDATING or DELETING when that is done.
#pragma once

#include "engine/tables/table_definition.h"
#include "model/error.h"
#include "model/table_requests.h"

namespace trestle {

// What is wrong with a request whatever the table is; DynamoDB says so before it looks for the table. Most changes must
// come alone.
Result<void> check_table_update(const UpdateTableRequest& request);

// The description after the request: with its new settings, UPDATING where DynamoDB would take its time over the
// change. A new index has keyspace zero (engine/indexes/index_redefinition.h). The request has passed
// check_table_update().
Result<TableDescription> redefine_table(const TableDescription& current, const UpdateTableRequest& request,
                                        const TableContext& context);

// Forgets the attribute definitions that no key needs any more, once a deleted index is gone from the description.
void drop_unused_definitions(TableDescription& table);

}  // namespace trestle
