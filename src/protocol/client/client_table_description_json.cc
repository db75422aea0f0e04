// Reads a table's description on the client: the inverse of table_description_json.cc.
#include <algorithm>

#include "model/shapes/description_shapes.h"
#include "protocol/client/client_input.h"
#include "protocol/client/client_table_members.h"

namespace trestle {
namespace {

// An unknown status ("ARCHIVED") is read as UPDATING: the table cannot be used.
auto into_status(std::string_view name, Status& status) {
  return into(name, [&status](JsonElement json) -> Result<void> {
    TRY_INTO(const std::string_view text, json_string(json));
    status = find_choice(kStatuses, text).value_or(Status::kUpdating);
    return {};
  });
}

void resolve_types(const std::vector<KeyAttribute>& attributes, KeySchema& key) {
  for (auto* part : {&key.hash, &key.range}) {
    for (KeyAttribute& attribute : *part) {
      const auto found = std::ranges::find(attributes, attribute.name, &KeyAttribute::name);
      if (found != attributes.end()) attribute.type = found->type;
    }
  }
}

Result<void> take_index(JsonElement json, IndexDescription& index) {
  TRY(read_field(json, index, JsonPlace::kElement, ShapeRules::as<GlobalIndexDescriptionShape>));
  return take_members(json, into_status("IndexStatus", index.status),
                      into("WarmThroughput", index.warm, ShapeRules::as<WarmThroughputShape>));
}

// A table whose restore has finished has no RestoreSummary.
Result<void> take_restore(JsonElement json, std::optional<RestoreSummary>& restore) {
  bool in_progress = false;
  TRY(take_members(json, into("RestoreInProgress", in_progress)));
  if (!in_progress) return {};
  return read_field(json, restore, JsonPlace::kMember);
}

}  // namespace

Result<void> take_indexes(JsonElement json, bool global, std::vector<IndexDescription>& out) {
  TRY_INTO(const JsonArray array, json_list(json));
  std::vector<IndexDescription> indexes;
  for (const JsonElement element : array) {
    IndexDescription& index = indexes.emplace_back();
    index.global = global;
    TRY(take_index(element, index));
  }
  out.insert(global ? out.end() : out.begin(), std::make_move_iterator(indexes.begin()),
             std::make_move_iterator(indexes.end()));
  return {};
}

Result<void> take_stream(JsonElement json, TableDescription& table) {
  bool enabled = false;
  TRY(take_members(json, into("StreamEnabled", enabled)));
  if (!enabled) return {};
  table.stream.emplace();
  return read_field(json, table, JsonPlace::kMember, ShapeRules::as<StreamDescriptionShape>);
}

Result<void> take_sse(JsonElement json, SseSpecification& sse) {
  std::string status;
  TRY(take_members(json, into("Status", status)));
  if (status == "ENABLED" || status == "ENABLING") sse.enabled = true;
  return read_field(json, sse, JsonPlace::kMember, ShapeRules::as<SseDescription>);
}

Result<void> read_value(JsonElement json, KeySchema& key, JsonPlace) {
  TRY_INTO(const JsonArray array, json_list(json));
  for (const JsonElement element : array) {
    KeyAttribute attribute;
    bool is_range = false;
    TRY(take_members(element, into("AttributeName", attribute.name), into("KeyType", is_range, kKeyTypes)));
    (is_range ? key.range : key.hash).push_back(std::move(attribute));
  }
  return {};
}

Result<void> read_value(JsonElement json, TableDescription& table, JsonPlace) {
  using Rules = ShapeRules;
  const auto take_billing = [&](JsonElement summary) {
    table.billing_summary = true;
    return read_field(summary, table, JsonPlace::kMember, Rules::as<BillingModeSummary>);
  };
  TRY(take_members(json, into("TableName", table.name), into("TableId", table.id), into("TableArn", table.arn),
                   into_status("TableStatus", table.status), into_timestamp("CreationDateTime", table.created_ms),
                   into("AttributeDefinitions", table.attributes, Rules::as<AttributeDescription>),
                   into("KeySchema", table.key), into_indexes("LocalSecondaryIndexes", false, table.indexes),
                   into_indexes("GlobalSecondaryIndexes", true, table.indexes),
                   into("VectorIndexes", table.vector_indexes), into("BillingModeSummary", take_billing),
                   into("ProvisionedThroughput", table, Rules::as<ThroughputDescription<TableDescription>>),
                   into("OnDemandThroughput", table.on_demand, Rules::as<OnDemandThroughputShape>),
                   into("WarmThroughput", table.warm, Rules::as<WarmThroughputShape>),
                   into("DeletionProtectionEnabled", table.deletion_protection),
                   into("TableClassSummary", table, Rules::as<TableClassSummary>),
                   into("RestoreSummary", [&](JsonElement element) { return take_restore(element, table.restore); }),
                   into("SSEDescription", [&](JsonElement element) { return take_sse(element, table.sse); }),
                   into("StreamSpecification", [&](JsonElement element) { return take_stream(element, table); }),
                   into("LatestStreamLabel", table.stream_label), into("ItemCount", table.item_count),
                   into("TableSizeBytes", table.size_bytes)));
  resolve_types(table.attributes, table.key);
  for (IndexDescription& index : table.indexes) resolve_types(table.attributes, index.key);
  for (VectorIndexDescription& index : table.vector_indexes) {
    for (SearchAttribute& element : index.search_schema) {
      const auto found = std::ranges::find(table.attributes, element.attribute.name, &KeyAttribute::name);
      if (found != table.attributes.end()) element.attribute.type = found->type;
    }
  }
  return {};
}

}  // namespace trestle
