#include <fmt/format.h>

#include <tuple>

#include "base/random_id.h"
#include "engine/bulk/bulk_operations.h"
#include "engine/bulk/load_descriptions.h"
#include "engine/tables/account_limits.h"
#include "engine/tables/find_table.h"

namespace trestle {
namespace {

bool is_same_request(const Load& load, const Load& earlier) {
  const auto parameters = [](const Load& of) {
    return std::tie(of.source, of.format, of.compression, of.output, of.table_name, of.write_units_max, of.tier);
  };
  return parameters(load) == parameters(earlier);
}

}  // namespace

// Adds a load that puts the items into the table (engine/bulk/loads.h).
Result<StartBulkPutItemsResponse> start_bulk_put_items(EngineParts& parts, const StartBulkPutItemsRequest& request,
                                                       Call& call) {
  if (request.output.sse_key_id && request.output.sse_algorithm != "KMS") {
    return invalid_parameter("S3SseKmsKeyId can only be specified for KMS");
  }
  MutexLock lock(parts.load_mutex);
  TRY_INTO(const auto table, find_table(parts, request.table_name));
  call.table_name = table->description.name;
  const int64_t now_ms = parts.options.clock->now_ms();
  Load load;
  load.arn = load_arn(LoadKind::kBulkPut, table->description.arn, now_ms, static_cast<uint32_t>(random_u64()));
  load.kind = LoadKind::kBulkPut;
  load.token = request.client_token.value_or("");
  load.source = request.source;
  load.format = request.format;
  load.compression = request.compression.value_or(InputCompression::kNone);
  load.output = request.output;
  load.table_name = table->description.name;
  load.table_id = table->description.id;
  load.table_arn = table->description.arn;
  load.started_ms = now_ms;
  load.write_units_max = request.write_units_max.value_or(0);
  load.tier = request.tier.value_or(PerformanceTier::kStandard);
  for (const IndexDescription& index : table->description.indexes) {
    load.index_bytes.emplace_back((index.global ? 'G' : 'L') + index.name, 0);
  }

  LoadCatalog& loads = parts.loads->catalog();
  const auto earlier = load.token.empty() ? nullptr : loads.find_token(LoadKind::kBulkPut, load.token);
  if (earlier && now_ms - earlier->started_ms < kLoadTokenMs) {
    call.commit = parts.store->commit_seen();
    if (is_same_request(load, *earlier)) return BulkOperationResponse{bulk_operation_description(*earlier)};
    return failure(ErrorCode::kIdempotentParameterMismatch,
                   "The client token was already used in a request with different parameters");
  }
  size_t in_progress = 0;
  for (const auto& other : loads.under_way()) in_progress += other->kind == LoadKind::kBulkPut ? 1 : 0;
  if (in_progress >= kLoadsMax) {
    return subscriber_limit(fmt::format("Only {} bulk operations can be in progress at a time", kLoadsMax));
  }
  TRY(loads.save(load));
  parts.loads->wake();
  return BulkOperationResponse{bulk_operation_description(load)};
}

}  // namespace trestle
