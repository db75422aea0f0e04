#include "server/observe/insights_page.h"

#include <algorithm>
#include <charconv>

#include "model/shapes/contributor_insights_shapes.h"
#include "protocol/json/attribute_value_json.h"
#include "protocol/json/json_output.h"

namespace trestle {
namespace {

constexpr size_t kKeysShown = 10;
constexpr size_t kKeysShownMax = 100;

struct InsightsQuery {
  size_t top = kKeysShown;
  std::string_view table;  // empty: all
};

// Table names need no percent-decoding.
InsightsQuery parse_insights_query(std::string_view query) {
  InsightsQuery parameters;
  while (!query.empty()) {
    const std::string_view part = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(query.size(), part.size() + 1));
    if (part.starts_with("table=")) parameters.table = part.substr(6);
    if (part.starts_with("top=")) {
      size_t top = 0;
      if (std::from_chars(part.data() + 4, part.data() + part.size(), top).ec == std::errc()) parameters.top = top;
    }
  }
  parameters.top = std::clamp<size_t>(parameters.top, 1, kKeysShownMax);
  return parameters;
}

void write_keys(std::string_view name, const std::vector<KeyInsights::KeyCount>& keys, JsonOutput& json) {
  json.key(name).begin_array();
  for (const KeyInsights::KeyCount& key : keys) {
    json.begin_object();
    json.key("Key");
    append_item_json(json.text(), key.key);
    json.member("Count", static_cast<int64_t>(key.count));
    json.member("Error", static_cast<int64_t>(key.error));
    json.end_object();
  }
  json.end_array();
}

void write_events(const std::array<KeyInsights::EventCounts, kKeyEvents>& events, const InsightsSetting& setting,
                  bool has_range, JsonOutput& json) {
  constexpr std::string_view kNames[kKeyEvents] = {"Read", "Written", "Throttled"};
  for (size_t event = 0; event < kKeyEvents; ++event) {
    if (setting.mode == InsightsMode::kThrottledKeys && event != static_cast<size_t>(KeyEvent::kThrottled)) continue;
    json.key(kNames[event]).begin_object();
    json.member("Total", static_cast<int64_t>(events[event].total));
    write_keys("PartitionKeys", events[event].partitions, json);
    if (has_range) write_keys("Keys", events[event].items, json);
    json.end_object();
  }
}

void write_subject(const Engine& engine, const KeyInsights::Subject& subject, size_t top, JsonOutput& json) {
  const std::optional<InsightsSetting>& setting = subject.setting();
  if (!setting || !setting->enabled) return;
  const bool has_range = !subject.key().range.empty();
  // The report if there were no accesses yet.
  KeyInsights::Report report{.since_ms = setting->updated_ms, .whole = {}, .recent = {}};
  if (auto found = engine.insights().report(subject.keyspace(), top)) report = std::move(*found);
  json.begin_object();
  json.member("TableName", subject.table.name);
  if (subject.is_index()) json.member("IndexName", subject.index->name);
  json.member("ContributorInsightsMode", choice_name(kInsightsModes, setting->mode));
  json.key("Since").timestamp_ms(report.since_ms);
  write_events(report.whole, *setting, has_range, json);
  json.key("Recent").begin_object();
  write_events(report.recent, *setting, has_range, json);
  json.end_object();
  json.end_object();
}

}  // namespace

std::string insights_page(const Engine& engine, std::string_view query) {
  const InsightsQuery parameters = parse_insights_query(query);
  std::string out;
  JsonOutput json(out);
  json.begin_object();
  json.key("ContributorInsights").begin_array();
  for (const auto& table : engine.catalog().tables()) {
    const TableDescription& description = table->description;
    if (!parameters.table.empty() && description.name != parameters.table) continue;
    write_subject(engine, {description}, parameters.top, json);
    for (const IndexDescription& index : description.indexes) {
      if (index.global) write_subject(engine, {description, &index}, parameters.top, json);
    }
  }
  json.end_array();
  json.end_object();
  out.push_back('\n');
  return out;
}

}  // namespace trestle
