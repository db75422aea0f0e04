#include "base/random_id.h"
#include "engine/tables/account_limits.h"
#include "engine/tables/table_operations.h"
#include "engine/tables/table_state.h"
#include "model/limits.h"

namespace trestle {

Result<CreateTableResponse> create_table(ItemParts& parts, const CreateTableRequest& request, Call&) {
  const std::string id = random_uuid();
  TableContext context = table_context(parts);
  context.table_id = id;
  TRY_INTO(TableDescription table, define_table(request, context));
  TRY(parts.catalog->check_certain(table.name));
  distinguish_stream(parts, table, {});
  CreateTableResponse response{table};  // as in DynamoDB, still CREATING
  table.status = Status::kActive;
  for (IndexDescription& index : table.indexes) {
    index.status = Status::kActive;
    index.backfilling = false;
  }
  for (VectorIndexDescription& index : table.vector_indexes) index.status = Status::kActive;
  if (const auto existing = parts.catalog->find(table.name)) {
    if (!existing->description.restore) return std::unexpected(table_already_exists(table.name));
    return failure(ErrorCode::kResourceInUse, "Table is being used: " + table.name);
  }
  if (parts.transient.find_deleting(table.name)) return std::unexpected(table_already_exists(table.name));
  TRY(check_table_count(parts.catalog->names().size()));
  TRY(check_account_limits(nullptr, table, {.region = parts.options.region, .reserved = reserved_by_account(parts)}));
  const bool has_vectors = !table.vector_indexes.empty();
  const auto created = parts.catalog->create(std::move(table));
  if (has_vectors) parts.vectors->refresh();
  TRY(created);
  parts.transient.begin(response.table);
  return response;
}

}  // namespace trestle
