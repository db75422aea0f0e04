#include "simulation/observation.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <thread>

#include "engine/vectors/vector_entry.h"
#include "exchange/inflated_for_test.h"
#include "simulation/world.h"

namespace trestle {
namespace {

using ObservedItems = std::map<std::string, Item>;

Result<ObservedItems> scan_all(Engine& engine, const std::string& table, const std::optional<std::string>& index,
                               std::vector<std::string>& contradictions) {
  ObservedItems found;
  ScanRequest request;
  request.table_name = table;
  request.index_name = index;
  for (;;) {
    TRY_INTO(const auto page, engine.scan(request));
    for (size_t i = 0; i < page.items.size(); ++i) {
      if (!found.emplace(key_text(page.items[i]), Item(page.items[i])).second) {
        contradictions.push_back(
            fmt::format("{}: {} has {} twice", table, index.value_or("the table"), key_text(page.items[i])));
      }
    }
    if (!page.last_evaluated_key) return found;
    request.exclusive_start_key = page.last_evaluated_key;
  }
}

// The items that an index on an attribute must contain.
ObservedItems having(const ObservedItems& items, std::string_view attribute) {
  ObservedItems found;
  for (const auto& [key, item] : items) {
    if (item.find(attribute)) found.emplace(key, item);
  }
  return found;
}

std::string keys_of(const ObservedItems& items) {
  std::string text;
  for (const auto& [key, item] : items) text += " " + item_text(item);
  return text;
}

void compare(const std::string& what, const ObservedItems& expected, const ObservedItems& found,
             std::vector<std::string>& contradictions) {
  if (expected == found) return;
  contradictions.push_back(fmt::format("{}:{} instead of{}", what, keys_of(found), keys_of(expected)));
}

// `size_of` returns the size at which an item is counted there.
void compare_counts(const std::string& what, const ObservedItems& items, int64_t count, int64_t bytes,
                    const std::function<size_t(ItemView)>& size_of, std::vector<std::string>& contradictions) {
  int64_t expected_bytes = 0;
  for (const auto& [key, item] : items) expected_bytes += static_cast<int64_t>(size_of(item));
  if (count == static_cast<int64_t>(items.size()) && bytes == expected_bytes) return;
  contradictions.push_back(fmt::format("{}: counted {} items of {} bytes, there are {} of {} bytes", what, count, bytes,
                                       items.size(), expected_bytes));
}

// The records of a stream by item key, each list in order.
Result<std::map<std::string, std::vector<StreamRecord>>> read_stream(Engine& engine, const std::string& arn) {
  std::map<std::string, std::vector<StreamRecord>> records;
  DescribeStreamRequest describe{.stream_arn = arn};
  for (;;) {
    TRY_INTO(const auto page, engine.describe_stream(describe));
    for (const ShardDescription& shard : page.stream.shards) {
      TRY_INTO(const auto start, engine.get_shard_iterator({.stream_arn = arn, .shard_id = shard.id}));
      std::optional<std::string> next = start.shard_iterator;
      while (next) {
        TRY_INTO(auto batch, engine.get_records({.shard_iterator = *next}));
        if (batch.records.empty()) break;
        for (StreamRecord& record : batch.records) records[key_text(record.keys)].push_back(std::move(record));
        next = batch.next_shard_iterator;
      }
    }
    if (!page.stream.last_evaluated_shard_id) return records;
    describe.exclusive_start_shard_id = page.stream.last_evaluated_shard_id;
  }
}

Result<void> observe_stream(Engine& engine, const TableDescription& table, const ObservedItems& items,
                            Observation& seen) {
  TRY_INTO(const auto records, read_stream(engine, table.arn + "/stream/" + table.stream_label));
  for (const auto& [key, changes] : records) {
    seen.lines.push_back(records_line(table.name, key, static_cast<int>(changes.size())));
    for (size_t i = 0; i + 1 < changes.size(); ++i) {
      if (changes[i].new_image != changes[i + 1].old_image) {
        seen.contradictions.push_back(
            fmt::format("{}: the stream of {} has a gap after record {}", table.name, key, i));
      }
    }
    const auto item = items.find(key);
    const bool agrees = changes.back().new_image ? item != items.end() && item->second == *changes.back().new_image
                                                 : item == items.end();
    if (!agrees) {
      seen.contradictions.push_back(fmt::format("{}: the stream's last record of {} is not its item", table.name, key));
    }
  }
  return {};
}

Result<ObservedItems> search_all(Engine& engine, const std::string& table, const ObservedItems& items) {
  SearchVectorsRequest request{.table_name = table, .index_name = "near"};
  request.search_vector = {Value::number(1), Value::number(1), Value::number(1)};
  request.top_k = 100;
  TRY_INTO(const auto found, engine.search_vectors(request));
  ObservedItems hits;
  for (const SearchResult& result : found.results) {
    const std::string key = key_text(result.item);
    // The index has only keys: its results must be keys of items with a vector.
    const auto item = items.find(key);
    hits.emplace(key, item == items.end() ? result.item : item->second);
  }
  return hits;
}

Result<void> observe_table(Engine& engine, const std::string& name, Observation& seen) {
  TRY_INTO(const auto described, engine.describe_table({.table_name = name}));
  const TableDescription& table = described.table;
  if (table.status != Status::kActive) {
    seen.contradictions.push_back(fmt::format("{} is not ACTIVE", name));
    return {};
  }
  TRY_INTO(const auto expiry, engine.describe_time_to_live({.table_name = name}));
  TRY_INTO(const auto backups, engine.describe_continuous_backups({.table_name = name}));
  TRY_INTO(const auto tags, engine.list_tags_of_resource({.resource_arn = table.arn}));
  TRY_INTO(const auto insights, engine.describe_contributor_insights({.table_name = name, .index_name = std::nullopt}));
  const auto policy = engine.get_resource_policy({.resource_arn = table.arn});
  if (!policy.has_value() && policy.error().code != ErrorCode::kPolicyNotFound) return std::unexpected(policy.error());
  TableSettings settings{.local_index = table.index("by-l") != nullptr,
                         .global_index = table.index("by-g") != nullptr,
                         .vector_index = table.vector_index("near") != nullptr,
                         .stream = table.stream.has_value(),
                         .expires = expiry.attribute_name.has_value(),
                         .recovery = backups.enabled,
                         .is_protected = table.deletion_protection,
                         .insights = insights.summary.status == ContributorInsightsStatus::kEnabled,
                         .units_max = table.on_demand.write_units.value_or(0),
                         .tags = {},
                         .policy = policy.has_value() ? policy->policy : ""};
  for (const Tag& tag : tags.tags) settings.tags[tag.key] = tag.value;
  seen.lines.push_back(settings_line(name, settings));
  if (expiry.enabling) seen.contradictions.push_back(fmt::format("{}: time to live is still being enabled", name));

  TRY_INTO(const ObservedItems items, scan_all(engine, name, std::nullopt, seen.contradictions));
  for (const auto& [key, item] : items) seen.lines.push_back(item_line(name, key, item));
  const auto billed = [&](ItemView item) { return billed_bytes(table, item); };
  const auto plain = [](ItemView item) { return item.size_bytes(); };
  compare_counts(name, items, table.item_count, table.size_bytes, billed, seen.contradictions);
  for (const IndexDescription& index : table.indexes) {
    const std::string what = name + "." + index.name;
    if (index.status != Status::kActive) {
      seen.contradictions.push_back(what + " is not ACTIVE");
      continue;
    }
    const ObservedItems expected = having(items, index.global ? "g" : "l");
    TRY_INTO(const ObservedItems found, scan_all(engine, name, index.name, seen.contradictions));
    compare(what, expected, found, seen.contradictions);
    compare_counts(what, expected, index.item_count, index.size_bytes, plain, seen.contradictions);
  }
  for (const VectorIndexDescription& index : table.vector_indexes) {
    const std::string what = name + "." + index.name;
    if (index.status != Status::kActive) {
      seen.contradictions.push_back(what + " is not ACTIVE");
      continue;
    }
    const ObservedItems expected = having(items, "v");
    TRY_INTO(const ObservedItems found, search_all(engine, name, items));
    compare(what, expected, found, seen.contradictions);
    if (index.item_count != static_cast<int64_t>(expected.size())) {
      seen.contradictions.push_back(
          fmt::format("{}: counted {} items, there are {}", what, index.item_count, expected.size()));
    }
  }
  if (table.stream) TRY(observe_stream(engine, table, items, seen));
  return {};
}

Result<void> observe_backups(Engine& engine, Observation& seen) {
  ListBackupsRequest request{.type = BackupTypeFilter::kAll};
  for (;;) {
    TRY_INTO(const auto page, engine.list_backups(request));
    for (const BackupSummary& summary : page.backups) {
      TRY_INTO(const auto described, engine.describe_backup({.backup_arn = summary.details.arn}));
      const BackupDetails& details = described.backup.details;
      const std::string name = fmt::format("{}@{}", details.name, details.created_ms);
      if (details.status != BackupStatus::kAvailable) {
        seen.contradictions.push_back(fmt::format("backup {} is not AVAILABLE", name));
      }
      seen.lines.push_back(backup_line(name, described.backup.table.item_count, details.size_bytes));
    }
    if (!page.last_evaluated_backup_arn) return {};
    request.exclusive_start_backup_arn = page.last_evaluated_backup_arn;
  }
}

Result<void> observe_exports(Engine& engine, const std::string& bucket_folder, Observation& seen) {
  ListExportsRequest request;
  for (;;) {
    TRY_INTO(const auto page, engine.list_exports(request));
    for (const ExportSummary& summary : page.exports) {
      TRY_INTO(const auto described, engine.describe_export({.export_arn = summary.arn}));
      const ExportDescription& description = described.description;
      const std::string prefix = description.s3_prefix.value_or("");
      if (description.status != ExportStatus::kCompleted) {
        seen.contradictions.push_back(fmt::format("export {} is not COMPLETED: {}", prefix,
                                                  description.failure_message.value_or("it is still running")));
        continue;
      }
      seen.lines.push_back(export_line_of(prefix, exported_items(bucket_folder + "/" + prefix)));
    }
    if (!page.next_token) return {};
    request.next_token = page.next_token;
  }
}

}  // namespace

std::set<std::string> exported_items(const std::string& folder) {
  std::set<std::string> items;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file() || entry.path().parent_path().filename() != "data") continue;
    std::ifstream in(entry.path(), std::ios::binary);
    std::stringstream compressed;
    compressed << in.rdbuf();
    std::istringstream lines(inflated(compressed.str()));
    for (std::string line; std::getline(lines, line);) items.insert(line);
  }
  return items;
}

Result<Observation> observe(Engine& engine, const std::string& bucket_folder) {
  Observation seen;
  TRY_INTO(const auto tables, engine.list_tables({}));
  for (const std::string& name : tables.table_names) TRY(observe_table(engine, name, seen));
  TRY(observe_backups(engine, seen));
  TRY(observe_exports(engine, bucket_folder, seen));
  std::ranges::sort(seen.lines);
  return seen;
}

bool finish_background_work(Engine& engine, std::string& what) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  for (;;) {
    engine.loads().finish_jobs();
    engine.recovery().finish_jobs();
    engine.exports().finish_jobs();
    engine.vectors().wait_idle();
    engine.recovery().run_due_work();
    what.clear();
    for (const auto& table : engine.catalog().tables()) {
      const TableDescription& description = table->description;
      if (description.status != Status::kActive) what += fmt::format(" table {};", description.name);
      for (const auto& index : description.indexes) {
        if (index.status != Status::kActive) what += fmt::format(" index {}.{};", description.name, index.name);
      }
      for (const auto& index : description.vector_indexes) {
        if (index.status != Status::kActive) what += fmt::format(" index {}.{};", description.name, index.name);
      }
      const auto expiry = engine.describe_time_to_live({.table_name = description.name});
      if (!expiry.has_value() || expiry->enabling) what += fmt::format(" expiry of {};", description.name);
    }
    for (const auto& backup : engine.catalog().recovery().backups()) {
      if (backup->status == BackupStatus::kCreating) what += fmt::format(" backup {};", backup->name);
    }
    if (const auto loads = engine.list_bulk_operations({}); loads.has_value()) {
      for (const auto& load : loads->operations) {
        if (load.ended_ms == 0) what += fmt::format(" bulk put {};", load.arn);
      }
    }
    if (const auto exports = engine.list_exports({}); exports.has_value()) {
      for (const auto& exported : exports->exports) {
        if (exported.status == ExportStatus::kInProgress) what += fmt::format(" export {};", exported.arn);
      }
    }
    if (what.empty() && engine.background_jobs() == 0) return true;
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

}  // namespace trestle
