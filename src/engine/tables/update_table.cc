#include <algorithm>

#include "engine/engine.h"
#include "engine/tables/account_limits.h"
#include "engine/tables/table_redefinition.h"

namespace trestle {
namespace {

// Everything except a backfill is done immediately: what DynamoDB shows as UPDATING or DELETING for a while is finished
// when the response is sent.
TableDescription completed(TableDescription table) {
  table.status = Status::kActive;
  std::erase_if(table.indexes, [](const IndexDescription& index) { return index.status == Status::kDeleting; });
  for (IndexDescription& index : table.indexes) {
    if (index.status == Status::kUpdating) index.status = Status::kActive;
  }
  std::erase_if(table.vector_indexes, [](const auto& index) { return index.status == Status::kDeleting; });
  for (VectorIndexDescription& index : table.vector_indexes) {
    if (index.status == Status::kCreating) index.backfilling = true;
  }
  drop_unused_definitions(table);
  return table;
}

// While a table or index is UPDATING, DynamoDB reports its previous units.
void show_old_units(const TableDescription& before, TableDescription& shown) {
  if (before.billing != BillingMode::kProvisioned || shown.billing != BillingMode::kProvisioned) return;
  shown.throughput = before.throughput;
  for (IndexDescription& index : shown.indexes) {
    if (const IndexDescription* old = before.index(index.name)) index.throughput = old->throughput;
  }
}

}  // namespace

Result<UpdateTableResponse> Engine::update_table(const UpdateTableRequest& request, Call&) {
  TRY(check_table_update(request));
  TRY_INTO(const auto table, find_described_table(request.table_name));
  UpdateTableResponse response;
  const auto changed = catalog_->change(
      table->description.name,
      [&](const TableDescription& current) -> Result<TableDescription> {
        TRY_INTO(response.table, redefine_table(current, request, table_context()));
        distinguish_stream(response.table, current.stream ? current.stream_label : std::string{});
        TRY(check_account_limits(&current, response.table,
                                 {.region = options_.region, .reserved = reserved_by_account()}));
        TableDescription done = completed(response.table);
        show_old_units(current, response.table);
        return done;
      },
      [this](const auto& before, const auto& after) { resize(before, after); });
  // Also where the outcome is unknown: the table is as it may have become.
  if (const auto now = catalog_->find(table->description.name)) start_backfill(*now);
  vectors_->tend();
  start_freeing();
  TRY(changed);
  response.table.item_count = described(**changed).item_count;
  response.table.size_bytes = described(**changed).size_bytes;
  return response;
}

}  // namespace trestle
