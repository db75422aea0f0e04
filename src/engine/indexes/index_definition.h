// Checks and resolves the secondary indexes of CreateTable and UpdateTable. Pure. Checks are in DynamoDB's order, with
// its messages.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "model/error.h"
#include "model/table_requests.h"

namespace trestle {

// The table that an index is defined for.
struct IndexContext {
  std::string_view table_arn;
  const KeySchema& table_key;
  std::span<const KeyAttribute> definitions;
  BillingMode billing = BillingMode::kProvisioned;
  bool table_is_new = true;  // CreateTable; false: UpdateTable
};

// The projection of an index, sorted by name.
Result<Projection> define_projection(std::optional<ProjectionType> type,
                                     const std::optional<std::vector<std::string>>& non_key_attributes);
// A local index, which becomes ACTIVE together with its table.
Result<IndexDescription> define_local_index(const IndexDefinition& index, const IndexContext& context);
// A global index, CREATING.
Result<IndexDescription> define_global_index(const IndexDefinition& index, const IndexContext& context);
// The part of define_global_index() that needs no table: checks key and projection.
Result<void> check_global_index(const IndexDefinition& index, std::span<const KeyAttribute> definitions);

// Checks that lists of indexes are not empty, that a table with local indexes has a range key, and that every key
// attribute is defined. Call it before checking for unused definitions, and define_indexes() after that.
Result<void> check_index_lists(const CreateTableRequest& request, const KeySchema& table_key);
// The local indexes of CreateTable, followed by the global ones. Checks that names are distinct and that counts are
// within the limits.
Result<std::vector<IndexDescription>> define_indexes(const CreateTableRequest& request, const IndexContext& context);

// Checks the limit on projected attributes (ProjectionType INCLUDE) of all indexes of a table together.
Result<void> check_projected_attributes(std::span<const IndexDescription> indexes);

}  // namespace trestle
