#include <algorithm>

#include "engine/indexes/index_backfill.h"
#include "engine/indexes/recount.h"
#include "engine/tables/account_limits.h"
#include "engine/tables/dropped_keyspaces.h"
#include "engine/tables/find_table.h"
#include "engine/tables/table_operations.h"
#include "engine/tables/table_redefinition.h"
#include "engine/tables/table_state.h"

namespace trestle {
namespace {

// The description after the change. All changes except backfills are made immediately: what DynamoDB shows as UPDATING
// or DELETING for a while is finished when the response is sent.
TableDescription completed_description(TableDescription table) {
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

// Replaces the new units by the previous ones, because DynamoDB reports those while a table or index is UPDATING.
void show_old_units(const TableDescription& before, TableDescription& shown) {
  if (before.billing != BillingMode::kProvisioned || shown.billing != BillingMode::kProvisioned) return;
  shown.throughput = before.throughput;
  for (IndexDescription& index : shown.indexes) {
    if (const IndexDescription* old = before.index(index.name)) index.throughput = old->throughput;
  }
}

}  // namespace

Result<UpdateTableResponse> update_table(EngineParts& parts, const UpdateTableRequest& request, Call&) {
  TRY(check_table_update(request));
  TRY_INTO(const auto table, find_described_table(parts, request.table_name));
  UpdateTableResponse response;
  const auto changed = parts.catalog->change(
      table->description.name,
      [&](const TableDescription& current) -> Result<TableDescription> {
        TableDescription shown = current;
        parts.transient.show(shown);
        TRY(check_table_active(shown));
        TRY_INTO(response.table, redefine_table(current, request, table_context(parts)));
        distinguish_stream(parts, response.table, current.stream ? current.stream_label : std::string{});
        TRY(check_account_limits(&current, response.table,
                                 {.region = parts.options.region, .reserved = reserved_by_account(parts)}));
        TableDescription done = completed_description(response.table);
        show_old_units(current, response.table);
        return done;
      },
      [&parts](const auto& before, const auto& after) { resize(parts, before, after); });
  // Even if the outcome is unknown, because the change may have been made.
  if (const auto now = parts.catalog->find(table->description.name)) start_backfill(parts, *now);
  parts.vectors->refresh();
  start_freeing(parts);
  TRY(changed);
  response.table.item_count = table_description(parts, **changed).item_count;
  response.table.size_bytes = table_description(parts, **changed).size_bytes;
  parts.transient.begin(response.table);
  return response;
}

}  // namespace trestle
