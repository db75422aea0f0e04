#include "engine/tables/table_definition.h"

#include <algorithm>
#include <ctime>
#include <span>

#include <fmt/format.h>

#include "base/utc_text.h"
#include "engine/indexes/index_definition.h"
#include "engine/tables/key_definition.h"
#include "engine/tables/table_tags.h"
#include "engine/tables/throughput_definition.h"
#include "engine/vectors/vector_definition.h"

namespace trestle {
namespace {

Result<void> check_defined_once(std::span<const KeyAttribute> definitions) {
  for (size_t i = 0; i < definitions.size(); ++i) {
    const auto before = definitions.first(i);
    if (std::ranges::find(before, definitions[i].name, &KeyAttribute::name) != before.end()) {
      return invalid(fmt::format("Attribute Name is duplicated: {}", definitions[i].name));
    }
  }
  return {};
}

// Checks that every defined attribute is used as a key of the table or of an index.
Result<void> check_definitions_used(const CreateTableRequest& request) {
  std::vector<std::string> used;
  const auto use = [&](std::span<const KeySchemaElement> elements) {
    for (const auto& element : elements) {
      if (std::ranges::find(used, element.attribute_name) == used.end()) used.push_back(element.attribute_name);
    }
  };
  use(request.key_schema);
  for (const auto* indexes : {&request.local_indexes, &request.global_indexes}) {
    if (!*indexes) continue;
    for (const auto& index : **indexes) use(index.key_schema);
  }
  for (const auto& name : search_attribute_names(request.vector_indexes)) {
    if (std::ranges::find(used, name) == used.end()) used.push_back(name);
  }
  if (used.size() == request.attribute_definitions.size()) return {};
  if (!request.local_indexes && !request.global_indexes && !request.vector_indexes) {
    return invalid_parameter(
        "Number of attributes in KeySchema does not exactly match number of attributes defined in "
        "AttributeDefinitions");
  }
  return invalid_parameter(fmt::format(
      "Some AttributeDefinitions are not used. AttributeDefinitions: {}, keys used: {}",
      bracketed_definitions(request.attribute_definitions), bracketed_set(std::move(used), kDefaultBuckets)));
}

Result<void> define_keys_and_indexes(const CreateTableRequest& request, TableDescription& table) {
  TRY(check_defined_once(request.attribute_definitions));
  TRY_INTO(table.key, define_table_key(request.key_schema, request.attribute_definitions));
  TRY(check_index_lists(request, table.key));
  TRY(check_vector_index_list(request));
  TRY(check_definitions_used(request));
  TRY_INTO(table.indexes, define_indexes(request, {.table_arn = table.arn,
                                                   .table_key = table.key,
                                                   .definitions = request.attribute_definitions,
                                                   .billing = table.billing}));
  TRY(define_vector_indexes(request, table));
  // DynamoDB keeps the definitions sorted.
  table.attributes = request.attribute_definitions;
  std::ranges::sort(table.attributes, {}, &KeyAttribute::name);
  return {};
}

Result<void> define_settings(const CreateTableRequest& request, const TableContext& context, TableDescription& table) {
  TRY(check_on_demand({}, table.billing, request.on_demand));
  table.on_demand = request.on_demand.value_or(ThroughputLimits{});
  const auto warm = default_warm(table.billing, table.throughput);
  TRY(check_warm({}, table.billing, warm, request.warm));
  table.warm = merge_limits(warm, request.warm);
  if (request.stream) {
    if (request.stream->enabled && !request.stream->view_type) {
      return invalid_parameter("Table is being created with a stream enabled, UpdateViewType is required");
    }
    if (!request.stream->enabled && request.stream->view_type) {
      return invalid_parameter("Table is being created with a stream disabled, UpdateViewType should not be specified");
    }
    if (request.stream->enabled) start_stream(table, *request.stream->view_type, context.now_ms);
  }
  if (request.sse) {
    TRY_INTO(table.sse, define_sse(*request.sse, context));
  }
  if (request.tags) {
    TRY(check_tags(*request.tags));
    table.tags = *request.tags;
  }
  table.table_class = request.table_class;
  table.deletion_protection = request.deletion_protection.value_or(false);
  table.resource_policy = request.resource_policy.value_or(std::string{});
  if (!table.resource_policy.empty()) table.resource_policy_ms = context.now_ms;
  return {};
}

}  // namespace

Result<TableDescription> define_table(const CreateTableRequest& request, const TableContext& context) {
  TableDescription table;
  table.name = request.table_name;
  table.id = context.table_id;
  table.arn = table_arn(context.region, context.account, request.table_name);
  table.status = Status::kCreating;
  table.created_ms = context.now_ms;
  table.billing = request.billing_mode.value_or(BillingMode::kProvisioned);
  if (table.billing == BillingMode::kPayPerRequest) {
    table.billing_summary = true;
    table.pay_per_request_since_ms = context.now_ms;
  }
  TRY(check_table_throughput(table.billing, request.throughput));
  table.throughput = request.throughput.value_or(Throughput{});
  TRY(define_keys_and_indexes(request, table));
  TRY(define_settings(request, context, table));
  return table;
}

Error table_already_exists(std::string_view table) {
  return Error{
      .code = ErrorCode::kResourceInUse, .message = fmt::format("Table already exists: {}", table), .item = nullptr};
}

Error table_not_found(std::string_view table) {
  return Error{.code = ErrorCode::kResourceNotFound,
               .message = fmt::format("Requested resource not found: Table: {} not found", table),
               .item = nullptr};
}

Result<void> check_table_active(const TableDescription& table) {
  std::string_view change;
  switch (table.status) {
    case Status::kActive:
      return {};
    case Status::kCreating:
      change = "created";
      break;
    case Status::kUpdating:
      change = "updated";
      break;
    case Status::kDeleting:
      change = "deleted";
      break;
  }
  return failure(
      ErrorCode::kResourceInUse,
      fmt::format("Attempt to change a resource which is still in use: Table is being {}: {}", change, table.name));
}

Result<void> check_deletable(const TableDescription& table) {
  if (table.deletion_protection) {
    return invalid(
        "Resource cannot be deleted as it is currently protected against deletion. Disable deletion protection first.");
  }
  TRY(check_table_active(table));
  const auto is_active = [](const auto& index) { return index.status == Status::kActive; };
  if (std::ranges::all_of(table.indexes, is_active) && std::ranges::all_of(table.vector_indexes, is_active)) return {};
  return failure(ErrorCode::kResourceInUse,
                 "Attempt to change a resource which is still in use: Cannot delete table while indexes are being "
                 "created, updated, or deleted.");
}

void start_stream(TableDescription& table, StreamViewType view_type, int64_t now_ms) {
  table.stream = view_type;
  table.stream_label = utc_text_ms(now_ms);
  table.stream_label.pop_back();  // without the Z
}

Result<SseSpecification> define_sse(const SseSpecification& sse, const TableContext& context) {
  if (!sse.enabled.value_or(false)) {
    if (!sse.type.empty()) return invalid_parameter("SSEType can not be specified if Enabled is false");
    if (!sse.key_id.empty()) return invalid_parameter("KMSMasterKeyId can not be specified if Enabled is false");
    return SseSpecification{.enabled = sse.enabled, .type = {}, .key_id = {}};
  }
  if (!sse.type.empty() && sse.type != "KMS") {
    return invalid_parameter(fmt::format("SSEType {} is not supported", sse.type));
  }
  if (sse.type.empty() && !sse.key_id.empty()) {
    return invalid_parameter("SSEType KMS is required if KMSMasterKeyId is specified");
  }
  const auto key = sse.key_id.empty() ? "alias/aws/dynamodb" : std::string_view(sse.key_id);
  if (key.starts_with("arn:")) return SseSpecification{.enabled = true, .type = "KMS", .key_id = std::string(key)};
  return SseSpecification{.enabled = true,
                          .type = "KMS",
                          .key_id = fmt::format("arn:aws:kms:{}:{}:{}{}", context.region, context.account,
                                                key.starts_with("alias/") ? "" : "key/", key)};
}

}  // namespace trestle
