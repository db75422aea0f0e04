// Checks and resolves the vector indexes of CreateTable, UpdateTable and the restores. Pure. Errors are DynamoDB's.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/backup_requests.h"
#include "model/error.h"
#include "model/table_requests.h"

namespace trestle {

// The attributes of all search schemas, which AttributeDefinitions must define.
std::vector<std::string> search_attribute_names(const std::optional<std::vector<VectorIndexDefinition>>& indexes);
bool is_search_attribute(const TableDescription& table, std::string_view name);

// Checks that a table with vector indexes is PAY_PER_REQUEST.
Result<void> check_vector_billing(std::span<const VectorIndexDescription> indexes, BillingMode billing);

// Checks that CreateTable's list of vector indexes is not empty, and that its search attributes are defined.
Result<void> check_vector_index_list(const CreateTableRequest& request);
// Adds the table's vector indexes, CREATING. The table's other indexes must be defined already.
Result<void> define_vector_indexes(const CreateTableRequest& request, TableDescription& table);

// Checks of UpdateTable's VectorIndexUpdates that do not depend on the table.
Result<void> check_vector_index_updates(const UpdateTableRequest& request);
// A new index is added at the end, CREATING; an index to delete becomes DELETING.
Result<void> change_vector_indexes(TableDescription& table, const UpdateTableRequest& request);

// Adds the vector indexes of the source, or those of them that the request names, with status CREATING.
Result<void> define_restored_vector_indexes(const TableDescription& source, const RestoreOverrides& overrides,
                                            TableDescription& table);

}  // namespace trestle
