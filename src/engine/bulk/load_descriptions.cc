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
void tell_throughput(const Of& of, BillingMode billing, std::optional<Throughput>& throughput,
                     std::optional<ThroughputLimits>& on_demand) {
  if (billing == BillingMode::kProvisioned) throughput = of.throughput;
  if (of.on_demand != ThroughputLimits{}) on_demand = of.on_demand;
}

VectorIndexDefinition vector_definition(const VectorIndexDescription& index) {
  VectorIndexDefinition told;
  told.index_name = index.name;
  told.vector_attribute = index.vector_attribute;
  told.dimensions = index.dimensions;
  told.distance = index.distance;
  for (const SearchAttribute& element : index.search_schema) {
    if (!told.search_schema) told.search_schema.emplace();
    told.search_schema->push_back({.attribute_name = element.attribute.name, .is_hash = element.is_hash});
  }
  told.projection_type = index.projection.type;
  if (index.projection.type == ProjectionType::kInclude) told.non_key_attributes = index.projection.non_key_attributes;
  return told;
}

// TableCreationParameters, as the table was defined by them.
CreateTableRequest creation_parameters(const TableDescription& table) {
  CreateTableRequest out;
  out.table_name = table.name;
  out.attribute_definitions = table.attributes;
  out.key_schema = key_schema(table.key);
  out.billing_mode = table.billing;
  tell_throughput(table, table.billing, out.throughput, out.on_demand);
  if (table.sse.enabled) out.sse = table.sse;
  for (const IndexDescription& index : table.indexes) {
    if (!index.global) continue;
    if (!out.global_indexes) out.global_indexes.emplace();
    IndexDefinition& told = out.global_indexes->emplace_back();
    told.index_name = index.name;
    told.key_schema = key_schema(index.key);
    told.projection_type = index.projection.type;
    if (index.projection.type == ProjectionType::kInclude)
      told.non_key_attributes = index.projection.non_key_attributes;
    tell_throughput(index, table.billing, told.throughput, told.on_demand);
  }
  for (const VectorIndexDescription& index : table.vector_indexes) {
    if (!out.vector_indexes) out.vector_indexes.emplace();
    out.vector_indexes->push_back(vector_definition(index));
  }
  return out;
}

// The log group that DynamoDB reports. Here the errors are in a bucket (engine/bulk/load_errors.h).
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
  ImportDescription told;
  told.summary = import_summary(load);
  told.table_id = load.table_id;
  told.client_token = load.token;
  told.csv = load.csv;
  told.compression = load.compression;
  if (load.table) told.table = creation_parameters(*load.table);
  if (load.processed_bytes > 0 || !load.is_under_way()) told.processed_bytes = load.processed_bytes;
  told.processed_items = load.processed_items;
  told.imported_items = load.written_items;
  told.errors = load.failed_items;
  told.failure_code = load.failure_code;
  told.failure_message = load.failure_message;
  return told;
}

BulkOperationSummary bulk_operation_summary(const Load& load) {
  return {.arn = load.arn, .status = load.status, .started_ms = load.started_ms, .ended_ms = load.ended_ms};
}

BulkOperationDescription bulk_operation_description(const Load& load) {
  BulkOperationDescription told;
  told.summary = bulk_operation_summary(load);
  told.table_name = load.table_name;
  told.table_id = load.table_id;
  if (!load.token.empty()) told.client_token = load.token;
  told.source = load.source;
  told.format = load.format;
  told.compression = load.compression;
  told.output = load.output;
  told.processed_items = load.processed_items;
  told.failed_items = load.failed_items;
  told.processed_bytes = load.processed_bytes;
  told.total_bytes = load.total_bytes;
  told.usage.table_name = load.table_name;
  told.usage.table_bytes = load.table_bytes;
  for (const auto& [index, bytes] : load.index_bytes) {
    const bool is_local = index.starts_with('L');
    (is_local ? told.usage.local_indexes : told.usage.global_indexes).emplace_back(index.substr(1), bytes);
  }
  told.failure_code = load.failure_code;
  told.failure_message = load.failure_message;
  if (load.write_units_max > 0) told.write_units_max = load.write_units_max;
  told.tier = load.tier;
  return told;
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

std::optional<LoadPlace> place_of_token(std::string_view token) {
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

bool is_behind(const Load& load, const LoadPlace& place) {
  return std::pair(load.started_ms, std::string_view(load.arn)) <
         std::pair(place.started_ms, std::string_view(place.arn));
}

}  // namespace trestle
