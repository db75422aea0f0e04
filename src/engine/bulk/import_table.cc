#include <fmt/format.h>

#include "base/random_id.h"
#include "engine/bulk/bulk_operations.h"
#include "engine/bulk/load_descriptions.h"
#include "engine/tables/account_limits.h"
#include "engine/tables/table_state.h"
#include "model/limits.h"
#include "model/shapes/load_enumerations.h"

namespace trestle {

// Creates a table that is CREATING, and a load that fills it (engine/bulk/loads.h). As in DynamoDB, a request with the
// token of an earlier request conflicts only if it names another table; otherwise it gets the existing import.
Result<ImportTableResponse> import_table(EngineParts& parts, const ImportTableRequest& request, Call& call) {
  if (request.csv && request.format != InputFormat::kCsv) {
    return invalid(fmt::format("Invalid Request: Unsupported InputFormatOptions for the given input format: {}.",
                               choice_name(kInputFormats, request.format)));
  }
  const std::string id = random_uuid();
  TableContext context = table_context(parts);
  context.table_id = id;
  TRY_INTO(TableDescription table, define_table(request.table, context));

  MutexLock lock(parts.load_mutex);
  TRY(parts.catalog->check_certain(table.name));
  LoadCatalog& loads = parts.loads->catalog();
  const auto existing = parts.catalog->find(table.name);
  if (existing && existing->description.status != Status::kCreating) {
    return std::unexpected(table_already_exists(table.name));
  }
  const auto earlier = loads.find_token(LoadKind::kImport, request.client_token);
  if (earlier && context.now_ms - std::max(earlier->started_ms, earlier->ended_ms) < kLoadTokenMs) {
    if (earlier->table_name != table.name) {
      return failure(ErrorCode::kImportConflict, "Duplicate request detected with conflicting parameters");
    }
    call.commit = parts.store->commit_seen();
    return ImportResponse{import_description(*earlier)};
  }
  if (existing) return std::unexpected(table_already_exists(table.name));
  size_t in_progress = 0;
  for (const auto& load : loads.under_way()) in_progress += load->kind == LoadKind::kImport ? 1 : 0;
  if (in_progress >= kLoadsMax) {
    return subscriber_limit(fmt::format("Only {} imports can be in progress at a time", kLoadsMax));
  }
  TRY(check_table_count(parts.catalog->names().size()));
  TRY(check_account_limits(nullptr, table, {.region = parts.options.region, .reserved = reserved_by_account(parts)}));

  Load load;
  load.arn = load_arn(LoadKind::kImport, table.arn, context.now_ms, static_cast<uint32_t>(random_u64()));
  load.kind = LoadKind::kImport;
  load.token = request.client_token;
  load.source = request.source;
  load.format = request.format;
  load.compression = request.compression;
  load.csv = request.csv;
  load.table_name = table.name;
  load.table_id = table.id;
  load.table_arn = table.arn;
  load.table = table;
  load.started_ms = context.now_ms;
  // In one commit: if the request fails, repeating it with the same token either begins the import or finds it begun.
  const auto created = parts.catalog->create(
      std::move(table),
      {.put = [&](Batch& batch) { LoadCatalog::put(load, batch); }, .publish = [&] { loads.publish(load); }});
  if (load.table && !load.table->vector_indexes.empty()) parts.vectors->refresh();
  parts.loads->wake();
  TRY(created);
  return ImportResponse{import_description(load)};
}

}  // namespace trestle
