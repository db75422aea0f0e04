#include "base/random_id.h"
#include "engine/engine.h"
#include "engine/tables/account_limits.h"
#include "model/limits.h"

namespace trestle {

Result<CreateTableResponse> Engine::create_table(const CreateTableRequest& request, Call&) {
  const std::string id = random_uuid();
  TableContext context = table_context();
  context.table_id = id;
  TRY_INTO(TableDescription table, define_table(request, context));
  TRY(catalog_->check_certain(table.name));
  distinguish_stream(table, {});
  CreateTableResponse response{table};  // as in DynamoDB, still CREATING
  table.status = Status::kActive;
  for (IndexDescription& index : table.indexes) {
    index.status = Status::kActive;
    index.backfilling = false;
  }
  for (VectorIndexDescription& index : table.vector_indexes) index.status = Status::kActive;
  if (const auto taken = catalog_->find(table.name)) {
    if (!taken->description.restore) return std::unexpected(table_already_exists(table.name));
    return failure(ErrorCode::kResourceInUse, "Table is being used: " + table.name);
  }
  if (catalog_->names().size() >= kTablesMax) {
    return failure(ErrorCode::kLimitExceeded,
                   "Subscriber limit exceeded: There is a limit of 2500 tables per subscriber");
  }
  TRY(check_account_limits(nullptr, table, {.region = options_.region, .reserved = reserved_by_account()}));
  const bool has_vectors = !table.vector_indexes.empty();
  const auto created = catalog_->create(std::move(table));
  if (has_vectors) vectors_->tend();
  TRY(created);
  return response;
}

}  // namespace trestle
