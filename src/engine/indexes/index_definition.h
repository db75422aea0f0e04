// Checks and resolves the secondary indexes of CreateTable and UpdateTable. Pure. Checks have DynamoDB's order and
// wording.
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
// A local index; it is ACTIVE as soon as its table is.
Result<IndexDescription> define_local_index(const IndexDefinition& index, const IndexContext& context);
// A global index, CREATING.
Result<IndexDescription> define_global_index(const IndexDefinition& index, const IndexContext& context);
// The part of that which needs no table: key and projection.
Result<void> check_global_index(const IndexDefinition& index, std::span<const KeyAttribute> definitions);

// Lists of indexes are not empty, local indexes have a table with a range key, every key is defined. Comes before the
// definitions are checked for use, and define_indexes() after.
Result<void> check_index_lists(const CreateTableRequest& request, const KeySchema& table_key);
// Every local index of CreateTable, then every global one. Names are distinct and counts within the limits.
Result<std::vector<IndexDescription>> define_indexes(const CreateTableRequest& request, const IndexContext& context);

// The limit of projected attributes (ProjectionType INCLUDE) over all indexes of a table.
Result<void> check_projected_attributes(std::span<const IndexDescription> indexes);

}  // namespace trestle
