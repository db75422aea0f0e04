#include "server/engine_resources.h"

#include "engine/statements/statement_plan.h"
#include "engine/streams/shard_iterator.h"

namespace trestle {

ResourcePolicy EngineResources::table_policy(std::string_view table_name) const {
  const auto table = catalog_.find(table_name);
  if (!table || table->description.resource_policy.empty()) return {};
  return {.arn = table->description.arn, .text = {table, &table->description.resource_policy}};
}

// A stream created under another --region has another ARN than its resource here, but the same suffix.
ResourcePolicy EngineResources::stream_policy(std::string_view stream_arn, std::string_view table_name) const {
  if (catalog_.streams().policies() == 0) return {};
  auto stream = catalog_.streams().find(stream_arn);
  if (!stream) {
    for (const auto& other : catalog_.streams().streams()) {
      if (other->table_name == table_name && stream_arn.ends_with("/stream/" + other->label)) stream = other;
    }
  }
  if (!stream || stream->resource_policy.empty()) return {};
  return {.arn = stream->arn(), .text = {stream, &stream->resource_policy}};
}

std::shared_ptr<const KeySchema> EngineResources::key(std::string_view table_name,
                                                      const std::optional<std::string>& index_name) const {
  const auto table = catalog_.find(table_name);
  if (!table) return nullptr;
  if (!index_name) return {table, &table->description.key};
  const IndexDescription* index = table->description.index(*index_name);
  return index == nullptr ? nullptr : std::shared_ptr<const KeySchema>(table, &index->key);
}

std::optional<std::string> EngineResources::stream_of(std::string_view shard_iterator) const {
  auto iterator = read_shard_iterator(shard_iterator);
  return iterator ? std::optional(std::move(iterator->stream_arn)) : std::nullopt;
}

// Follows the plan that the engine would execute. A statement without a plan will be refused.
SelectedPartitions EngineResources::selected_partitions(const PartiqlStatement& statement,
                                                        const PartiqlLowering& lowering, const KeySchema& key) const {
  SelectedPartitions selected;
  if (statement.verb == PartiqlVerb::kSelect) {
    const auto plan = plan_select(statement, lowering, key, KeyTypes::kAny);
    if (!plan.has_value()) return selected;
    selected.full_scan = plan->kind == SelectPlan::Kind::kScan;
    for (const KeyRead& read : plan->reads) selected.keys.emplace_back(read.hash);
    return selected;
  }
  auto written = find_write_key(statement, lowering, key);
  if (!written.has_value()) return selected;
  for (auto& [attribute, value] : written->values) {
    if (attribute == key.hash.front().name) selected.keys.push_back(std::move(value));
  }
  return selected;
}

}  // namespace trestle
