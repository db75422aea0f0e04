// UpdateContributorInsights, DescribeContributorInsights and ListContributorInsights, which manage the setting. The
// counts are in engine/indexes/key_insights.h.
#include <algorithm>

#include <fmt/format.h>

#include "engine/indexes/index_operations.h"
#include "engine/tables/find_table.h"

namespace trestle {
namespace {

constexpr int64_t kSummariesPerPage = 100;

Result<const IndexDescription*> find_global_index(const TableDescription& table,
                                                  const std::optional<std::string>& name) {
  if (!name) return nullptr;
  const IndexDescription* index = table.index(*name);
  // As in DynamoDB, local indexes and indexes whose backfill has not begun have no insights.
  if (index == nullptr || !index->global || (index->status == Status::kCreating && !index->backfilling)) {
    return failure(ErrorCode::kResourceNotFound,
                   fmt::format("Requested resource not found: Index: {} not found for table: {}", *name, table.name));
  }
  return index;
}

ContributorInsightsSummary summary_of(const TableDescription& table, const IndexDescription* index) {
  const std::optional<InsightsSetting>& setting = index != nullptr ? index->insights : table.insights;
  ContributorInsightsSummary summary;
  summary.table_name = table.name;
  if (index != nullptr) summary.index_name = index->name;
  if (!setting) return summary;
  summary.status = setting->enabled ? ContributorInsightsStatus::kEnabled : ContributorInsightsStatus::kDisabled;
  summary.mode = setting->mode;
  return summary;
}

// The names of the rules in CloudWatch: C counts accesses, T counts throttled requests; PK is by partition key, SK by
// partition and sort key.
std::vector<std::string> rules_of(const TableDescription& table, const IndexDescription* index) {
  const std::optional<InsightsSetting>& setting = index != nullptr ? index->insights : table.insights;
  if (!setting || !setting->enabled) return {};
  const bool has_range = !(index != nullptr ? index->key : table.key).range.empty();
  const std::string resource = index != nullptr ? table.name + "-" + index->name : table.name;
  std::vector<std::string> rules;
  for (const char kind : {'C', 'T'}) {
    if (kind == 'C' && setting->mode == InsightsMode::kThrottledKeys) continue;
    for (const char* depth : {"PK", "SK"}) {
      if (depth[0] == 'S' && !has_range) continue;
      rules.push_back(
          fmt::format("DynamoDBContributorInsights-{}{}-{}-{}", depth, kind, resource, setting->enabled_ms));
    }
  }
  return rules;
}

}  // namespace

Result<UpdateContributorInsightsResponse> update_contributor_insights(ItemParts& parts,
                                                                      const UpdateContributorInsightsRequest& request,
                                                                      Call&) {
  TRY_INTO(const auto table, find_described_table(parts, request.table_name));
  TRY(find_global_index(table->description, request.index_name));
  // The setting takes effect before the response. The response nevertheless has DynamoDB's status: ENABLING or
  // DISABLING, or the final status if nothing changes.
  auto status = request.enable ? ContributorInsightsStatus::kEnabling : ContributorInsightsStatus::kDisabling;
  uint32_t keyspace = 0;
  TRY_INTO(
      const auto changed,
      parts.catalog->change(table->description.name, [&](TableDescription next) -> Result<TableDescription> {
        TRY_INTO(const IndexDescription* index, find_global_index(next, request.index_name));
        if (index != nullptr && index->status != Status::kActive) {
          return invalid(
              "Table or Index is not in a valid state to update Key Access Insights: IndexStatus must be ACTIVE to "
              "enable ContributorInsights.");
        }
        keyspace = index != nullptr ? index->keyspace : next.keyspace;
        std::optional<InsightsSetting>& setting =
            index != nullptr ? next.indexes[static_cast<size_t>(index - next.indexes.data())].insights : next.insights;
        const InsightsSetting before = setting.value_or(InsightsSetting{});
        if (before.enabled == request.enable &&
            (!request.enable || request.mode.value_or(before.mode) == before.mode)) {
          status = request.enable ? ContributorInsightsStatus::kEnabled : ContributorInsightsStatus::kDisabled;
          return next;
        }
        const int64_t now_ms = parts.options.clock->now_ms();
        setting = {.enabled = request.enable,
                   .mode = request.enable ? request.mode.value_or(before.mode) : before.mode,
                   .enabled_ms = before.enabled ? before.enabled_ms : now_ms,
                   .updated_ms = now_ms};
        return next;
      }));
  if (!request.enable) parts.insights.forget(keyspace);
  TRY_INTO(const IndexDescription* index, find_global_index(changed->description, request.index_name));
  ContributorInsightsSummary summary = summary_of(changed->description, index);
  summary.status = status;
  return summary;
}

Result<DescribeContributorInsightsResponse> describe_contributor_insights(
    TableParts& parts, const DescribeContributorInsightsRequest& request, Call&) {
  TRY_INTO(const auto table, find_described_table(parts, request.table_name));
  TRY_INTO(const IndexDescription* index, find_global_index(table->description, request.index_name));
  DescribeContributorInsightsResponse response;
  response.summary = summary_of(table->description, index);
  response.rules = rules_of(table->description, index);
  const auto& setting = index != nullptr ? index->insights : table->description.insights;
  if (setting) response.updated_ms = setting->updated_ms;
  return response;
}

Result<ListContributorInsightsResponse> list_contributor_insights(TableParts& parts,
                                                                  const ListContributorInsightsRequest& request,
                                                                  Call&) {
  std::vector<std::shared_ptr<const TableVersion>> tables;
  if (request.table_name) {
    TRY_INTO(auto table, find_described_table(parts, *request.table_name));
    tables.push_back(std::move(table));
  } else {
    tables = parts.catalog->tables();
  }
  const auto limit = static_cast<size_t>(std::max<int64_t>(1, request.max_results.value_or(kSummariesPerPage)));
  ListContributorInsightsResponse response;
  // The token is the last entry of the page: a table name, or a table and an index name with a separator that sorts
  // before every character of a name. So a table is listed before its indexes, and its indexes before the next table.
  const auto token_of = [](const ContributorInsightsSummary& summary) {
    return summary.index_name ? summary.table_name + "#" + *summary.index_name : summary.table_name;
  };
  std::vector<ContributorInsightsSummary> all;
  for (const auto& table : tables) {
    const auto add = [&](const IndexDescription* index) {
      ContributorInsightsSummary summary = summary_of(table->description, index);
      if (summary.status != ContributorInsightsStatus::kDisabled) all.push_back(std::move(summary));
    };
    add(nullptr);
    for (const IndexDescription& index : table->description.indexes) add(&index);
  }
  std::ranges::sort(all, {}, token_of);
  for (ContributorInsightsSummary& summary : all) {
    if (request.next_token && token_of(summary) <= *request.next_token) continue;
    if (response.summaries.size() == limit) {
      response.next_token = token_of(response.summaries.back());
      break;
    }
    response.summaries.push_back(std::move(summary));
  }
  return response;
}

}  // namespace trestle
