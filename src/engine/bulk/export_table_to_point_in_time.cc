#include <fmt/format.h>

#include <algorithm>

#include "base/random_id.h"
#include "engine/bulk/bulk_operations.h"
#include "engine/bulk/export_filter.h"
#include "engine/bulk/export_request.h"
#include "engine/bulk/exports.h"
#include "engine/recovery/history_holds.h"
#include "engine/tables/account_limits.h"

namespace trestle {
namespace {

constexpr size_t kExportsMax = 300;  // in progress at a time
constexpr int64_t kExportTokenMs = int64_t{8} * 60 * 60 * 1000;

// The export that was started with this token, or null if there is none or the token has expired.
std::shared_ptr<const Export> find_token(const std::vector<std::shared_ptr<const Export>>& exports,
                                         const std::optional<std::string>& token, int64_t now_ms) {
  if (!token) return nullptr;
  for (const auto& export_ : exports) {
    const ExportDescription& description = export_->description;
    if (description.client_token == token && now_ms - description.start_ms < kExportTokenMs) return export_;
  }
  return nullptr;
}

Result<std::shared_ptr<const TableVersion>> find_exported_table(const TableParts& parts, const std::string& arn) {
  TRY_INTO(const std::string_view name,
           check_exported_table_arn(arn, {.region = parts.options.region, .account = parts.options.account}));
  auto table = parts.catalog->find(name);
  TRY(parts.catalog->check_certain(name));
  if (!table || table->description.status == Status::kCreating) {
    return failure(ErrorCode::kTableNotFound, fmt::format("Table not found: {}", arn));
  }
  return table;
}

}  // namespace

// Exports the table as of the requested time or period, or as of now. The files are written in the background.
Result<ExportTableToPointInTimeResponse> export_table_to_point_in_time(EngineParts& parts,
                                                                       const ExportTableToPointInTimeRequest& request,
                                                                       Call& call) {
  TRY(check_export_members(request));
  MutexLock lock(parts.exports->begin_mutex());
  TRY_INTO(const auto table, find_exported_table(parts, request.table_arn));
  const TableDescription& source = table->description;
  call.table_name = source.name;
  const int64_t now_ms = parts.history_clock.now_ms();
  const auto exports = parts.exports->catalog().all();
  Export next{.description = describe_request(request), .parameters = export_parameters(request)};
  if (const auto same = find_token(exports, request.client_token, now_ms)) {
    call.commit = parts.store->commit_seen();
    if (same->parameters == next.parameters) return ExportResponse{same->description};
    return failure(ErrorCode::kExportConflict,
                   "Export conflict: Duplicate request detected with conflicting parameters");
  }
  ExportDescription& description = next.description;
  int64_t hold_ms = 0;
  if (description.type == ExportType::kFull) {
    if (!description.export_ms) description.export_ms = now_ms;
    TRY(check_export_time(*description.export_ms, source, now_ms));
    hold_ms = *description.export_ms;
  } else {
    description.export_ms.reset();
    if (!description.period->to_ms) description.period->to_ms = now_ms / 1000 * 1000;
    if (!description.period->view) description.period->view = ExportViewType::kNewAndOldImages;
    TRY(check_export_period(*description.period, source, now_ms));
    hold_ms = *description.period->from_ms - 1;
  }
  for (const KeyAttribute& attribute : source.key.hash) next.key_attributes.push_back(attribute.name);
  for (const KeyAttribute& attribute : source.key.range) next.key_attributes.push_back(attribute.name);
  if (description.filter) {
    TRY_INTO(next.range, check_export_filter(*description.filter, source));
  }
  const auto is_in_progress = [](const auto& other) { return other->description.status == ExportStatus::kInProgress; };
  if (static_cast<size_t>(std::ranges::count_if(exports, is_in_progress)) >= kExportsMax) {
    return subscriber_limit(fmt::format("Only {} export operations can be in progress at a time", kExportsMax));
  }

  description.table_id = source.id;
  description.start_ms = now_ms;
  do {
    description.arn = export_arn(source.arn, export_id(now_ms, static_cast<uint32_t>(random_u64())));
  } while (parts.exports->catalog().find(description.arn));
  TRY_INTO(const HistoryHold hold, hold_history(parts, source.name, "export " + description.arn, hold_ms, source.id));
  if (description.period) pass_history(parts, *description.period->to_ms - 1);
  next.hold = hold.id;
  ExportResponse response{description};
  const auto added = parts.exports->add(std::move(next));
  if (!added.has_value()) {
    if (!parts.exports->catalog().find(description.arn)) (void)release_history(parts, hold.id);
    return std::unexpected(added.error());
  }
  return response;
}

}  // namespace trestle
