#include "engine/bulk/load_descriptions.h"

#include <fmt/format.h>

#include "base/bytes.h"

namespace trestle {

std::string load_arn(LoadKind kind, std::string_view table_arn, int64_t started_ms, uint32_t suffix) {
  return fmt::format("{}/{}/{:014}-{:08x}", table_arn, kind == LoadKind::kImport ? "import" : "bulk-operation",
                     started_ms, suffix);
}

namespace {

ImportStatus import_status(BulkOperationStatus status) {
  switch (status) {
    case BulkOperationStatus::kInProgress:
      return ImportStatus::kInProgress;
    case BulkOperationStatus::kCompleted:
    case BulkOperationStatus::kCompletedWithErrors:
      return ImportStatus::kCompleted;
    case BulkOperationStatus::kCancelling:
      return ImportStatus::kCancelling;
    case BulkOperationStatus::kCancelled:
      return ImportStatus::kCancelled;
    case BulkOperationStatus::kFailed:
      return ImportStatus::kFailed;
  }
  return ImportStatus::kFailed;
}

std::vector<KeySchemaElement> key_schema(const KeySchema& key) {
  std::vector<KeySchemaElement> out;
  for (const KeyAttribute& attribute : key.hash) out.push_back({.attribute_name = attribute.name, .is_range = false});
  for (const KeyAttribute& attribute : key.range) out.push_back({.attribute_name = attribute.name, .is_range = true});
  return out;
}

template <class Of>
void set_throughput(const Of& of, BillingMode billing, std::optional<Throughput>& throughput,
                    std::optional<ThroughputLimits>& on_demand) {
  if (billing == BillingMode::kProvisioned) throughput = of.throughput;
  if (of.on_demand != ThroughputLimits{}) on_demand = of.on_demand;
}

VectorIndexDefinition vector_definition(const VectorIndexDescription& index) {
  VectorIndexDefinition definition;
  definition.index_name = index.name;
  definition.vector_attribute = index.vector_attribute;
  definition.dimensions = index.dimensions;
  definition.distance = index.distance;
  for (const SearchAttribute& element : index.search_schema) {
    if (!definition.search_schema) definition.search_schema.emplace();
    definition.search_schema->push_back({.attribute_name = element.attribute.name, .is_hash = element.is_hash});
  }
  definition.projection_type = index.projection.type;
  if (index.projection.type == ProjectionType::kInclude)
    definition.non_key_attributes = index.projection.non_key_attributes;
  return definition;
}

// TableCreationParameters, derived from the table's description.
CreateTableRequest creation_parameters(const TableDescription& table) {
  CreateTableRequest out;
  out.table_name = table.name;
  out.attribute_definitions = table.attributes;
  out.key_schema = key_schema(table.key);
  out.billing_mode = table.billing;
  set_throughput(table, table.billing, out.throughput, out.on_demand);
  if (table.sse.enabled) out.sse = table.sse;
  for (const IndexDescription& index : table.indexes) {
    if (!index.global) continue;
    if (!out.global_indexes) out.global_indexes.emplace();
    IndexDefinition& index_definition = out.global_indexes->emplace_back();
    index_definition.index_name = index.name;
    index_definition.key_schema = key_schema(index.key);
    index_definition.projection_type = index.projection.type;
    if (index.projection.type == ProjectionType::kInclude)
      index_definition.non_key_attributes = index.projection.non_key_attributes;
    set_throughput(index, table.billing, index_definition.throughput, index_definition.on_demand);
  }
  for (const VectorIndexDescription& index : table.vector_indexes) {
    if (!out.vector_indexes) out.vector_indexes.emplace();
    out.vector_indexes->push_back(vector_definition(index));
  }
  return out;
}

// The log group that DynamoDB reports. Trestle writes the errors to a bucket instead (engine/bulk/load_errors.h).
std::string log_group_arn(std::string_view table_arn) {
  // arn:aws:dynamodb:<region>:<account>:table/<table>
  std::string_view rest = table_arn;
  for (int i = 0; i < 3; ++i) rest.remove_prefix(std::min(rest.size(), rest.find(':') + 1));
  const size_t end = rest.rfind(':');
  return fmt::format("arn:aws:logs:{}:log-group:/aws-dynamodb/imports:*", rest.substr(0, end));
}

}  // namespace

ImportSummary import_summary(const Load& load) {
  return {.arn = load.arn,
          .status = import_status(load.status),
          .table_arn = load.table_arn,
          .source = load.source,
          .log_group_arn = log_group_arn(load.table_arn),
          .format = load.format,
          .started_ms = load.started_ms,
          .ended_ms = load.ended_ms};
}

ImportDescription import_description(const Load& load) {
  ImportDescription description;
  description.summary = import_summary(load);
  description.table_id = load.table_id;
  description.client_token = load.token;
  description.csv = load.csv;
  description.compression = load.compression;
  if (load.table) description.table = creation_parameters(*load.table);
  if (load.processed_bytes > 0 || !load.is_under_way()) description.processed_bytes = load.processed_bytes;
  description.processed_items = load.processed_items;
  description.imported_items = load.written_items;
  description.errors = load.failed_items;
  description.failure_code = load.failure_code;
  description.failure_message = load.failure_message;
  return description;
}

BulkOperationSummary bulk_operation_summary(const Load& load) {
  return {.arn = load.arn, .status = load.status, .started_ms = load.started_ms, .ended_ms = load.ended_ms};
}

BulkOperationDescription bulk_operation_description(const Load& load) {
  BulkOperationDescription description;
  description.summary = bulk_operation_summary(load);
  description.table_name = load.table_name;
  description.table_id = load.table_id;
  if (!load.token.empty()) description.client_token = load.token;
  description.source = load.source;
  description.format = load.format;
  description.compression = load.compression;
  description.output = load.output;
  description.processed_items = load.processed_items;
  description.failed_items = load.failed_items;
  description.processed_bytes = load.processed_bytes;
  description.total_bytes = load.total_bytes;
  description.usage.table_name = load.table_name;
  description.usage.bytes = description.usage.table_bytes = load.table_bytes;
  for (const auto& [index, bytes] : load.index_bytes) {
    const bool is_local = index.starts_with('L');
    (is_local ? description.usage.local_indexes : description.usage.global_indexes)
        .push_back({.index_name = index.substr(1), .bytes = bytes});
    description.usage.bytes += bytes;
  }
  description.failure_code = load.failure_code;
  description.failure_message = load.failure_message;
  if (load.write_units_max > 0) description.write_units_max = load.write_units_max;
  description.tier = load.tier;
  return description;
}

std::string load_token(const Load& load) {
  std::string bytes;
  append_u64_be(bytes, static_cast<uint64_t>(load.started_ms));
  bytes += load.arn;
  bytes.resize((std::max<size_t>(bytes.size(), 56) + 7) / 8 * 8, '\0');
  std::string out;
  for (const char c : bytes) out += fmt::format("{:02x}", static_cast<unsigned char>(c));
  return out;
}

std::optional<LoadPlace> read_load_token(std::string_view token) {
  if (token.size() < 112 || token.size() % 16 != 0) return std::nullopt;
  const auto digit = [](char c) { return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1; };
  std::string bytes;
  for (size_t i = 0; i < token.size(); i += 2) {
    const int high = digit(token[i]), low = digit(token[i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    bytes += static_cast<char>(high * 16 + low);
  }
  LoadPlace place{.started_ms = static_cast<int64_t>(load_u64_be(bytes.data())), .arn = bytes.substr(8)};
  place.arn.resize(std::min(place.arn.size(), place.arn.find('\0')));
  if (!place.arn.starts_with("arn:")) return std::nullopt;
  return place;
}

bool comes_after(const Load& load, const LoadPlace& place) {
  return std::pair(load.started_ms, std::string_view(load.arn)) <
         std::pair(place.started_ms, std::string_view(place.arn));
}

Result<LoadListPage> load_list_page(std::vector<std::shared_ptr<const Load>> loads,
                                    const std::optional<std::string>& token, int64_t limit) {
  if (token) {
    const std::optional<LoadPlace> place = read_load_token(*token);
    if (!place) return invalid("Invalid NextToken");
    std::erase_if(loads, [&](const auto& load) { return !comes_after(*load, *place); });
  }
  LoadListPage page{.loads = std::move(loads), .next_token = {}};
  if (page.loads.size() > static_cast<size_t>(limit)) {
    page.loads.resize(static_cast<size_t>(limit));
    page.next_token = load_token(*page.loads.back());
  }
  return page;
}

}  // namespace trestle
