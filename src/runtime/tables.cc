#include "runtime/tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "design/plan/plan.h"
#include "model/callers/table_words.h"

namespace trestle::runtime {
namespace {

constexpr auto kActiveWait = std::chrono::minutes(10);
constexpr auto kActivePoll = std::chrono::milliseconds(50);

// The journal, described like a table of a design. It has TTL because its call records expire.
design::Table journal() {
  design::Table table;
  table.name = design::kJournalTable;
  table.key.hash = {{.name = "PK", .type = ValueType::kString}};
  table.key.range = {{.name = "SK", .type = ValueType::kString}};
  table.ttl_attribute = "ttl";
  return table;
}

std::vector<design::Table> tables_of(const design::Design& design) {
  std::vector<design::Table> tables = design.tables;
  tables.push_back(journal());
  return tables;
}

Outcome<void> wait_active(const std::string& name, Database& database) {
  const auto deadline = std::chrono::steady_clock::now() + kActiveWait;
  for (;;) {
    const auto described = database.describe_table({.table_name = name});
    if (!described && !is_missing_table(described.error())) return std::unexpected(refused_by(described.error()));
    if (described && described->table.status == Status::kActive &&
        std::all_of(described->table.indexes.begin(), described->table.indexes.end(),
                    [](const IndexDescription& index) { return index.status == Status::kActive; }))
      return {};
    if (std::chrono::steady_clock::now() > deadline)
      return refuse(503, fmt::format("Table {} did not become active.", name));
    std::this_thread::sleep_for(kActivePoll);
  }
}

void compare(const design::Table& wanted, const TableDescription& actual, std::vector<std::string>& differences) {
  const auto say = [&](std::string_view what, const std::string& have, const std::string& want) {
    if (have != want)
      differences.push_back(fmt::format("Table {}: {} is {}; the design has {}.", wanted.name, what, have, want));
  };
  say("the key", key_words(actual.key), key_words(wanted.key));
  say("the stream", stream_words(actual.stream), stream_words(wanted.stream));
  for (const design::Index& index : wanted.indexes) {
    const IndexDescription* found = actual.index(index.name);
    if (found == nullptr) {
      differences.push_back(fmt::format("Table {}: index {} is missing.", wanted.name, index.name));
      continue;
    }
    const std::string name = "index " + index.name;
    say(name, found->global ? "global" : "local", index.local ? "local" : "global");
    say("the key of " + name, key_words(found->key), key_words(index.key));
    say("the projection of " + name, projection_words(copied_projection(found->projection, actual.key, found->key)),
        projection_words(copied_projection(index.projection, wanted.key, index.key)));
  }
  for (const IndexDescription& index : actual.indexes) {
    if (wanted.index(index.name) == nullptr)
      differences.push_back(fmt::format("Table {}: index {} is not in the design.", wanted.name, index.name));
  }
}

}  // namespace

CreateTableRequest create_request(const design::Table& table) {
  CreateTableRequest request{.table_name = table.name};
  define_attributes(table.key, request.attribute_definitions);
  request.key_schema = key_elements(table.key);
  std::vector<IndexDefinition> local, global;
  for (const design::Index& index : table.indexes) {
    define_attributes(index.key, request.attribute_definitions);
    IndexDefinition result{.index_name = index.name, .key_schema = key_elements(index.key)};
    result.projection_type = index.projection.type;
    if (index.projection.type == ProjectionType::kInclude) {
      // DynamoDB refuses to project a key of the table or index, which every entry has anyway.
      result.non_key_attributes = copied_projection(index.projection, table.key, index.key).non_key_attributes;
    }
    if (!index.local && table.billing == BillingMode::kProvisioned) result.throughput = table.throughput;
    (index.local ? local : global).push_back(std::move(result));
  }
  if (!local.empty()) request.local_indexes = std::move(local);
  if (!global.empty()) request.global_indexes = std::move(global);
  request.billing_mode = table.billing;
  if (table.billing == BillingMode::kProvisioned) request.throughput = table.throughput;
  if (table.stream) request.stream = StreamSpecification{.enabled = true, .view_type = table.stream};
  if (table.deletion_protection) request.deletion_protection = true;
  if (table.infrequent_access) request.table_class = TableClass::kStandardInfrequentAccess;
  if (!table.encryption.empty()) {
    request.sse = SseSpecification{
        .enabled = true, .type = "KMS", .key_id = table.encryption == "kms" ? std::string() : table.encryption};
  }
  if (!table.tags.empty()) {
    request.tags.emplace();
    for (const auto& [key, value] : table.tags) request.tags->push_back({key, value});
  }
  return request;
}

Outcome<std::vector<std::string>> create_tables(const design::Design& design, Database& database) {
  std::vector<std::string> result;
  for (const design::Table& table : tables_of(design)) {
    const auto described = database.describe_table({.table_name = table.name});
    if (described) continue;
    if (!is_missing_table(described.error())) return std::unexpected(refused_by(described.error()));
    const auto created = database.create_table(create_request(table));
    // Another process may have created it in the meantime.
    if (!created && created.error().code == ErrorCode::kResourceInUse) continue;
    if (!created) return refuse(500, fmt::format("Table {}: {}", table.name, created.error().message));
    result.push_back(table.name);
  }
  for (const design::Table& table : tables_of(design)) TRY(wait_active(table.name, database));
  for (const design::Table& table : tables_of(design)) {
    if (table.ttl_attribute.empty() || std::find(result.begin(), result.end(), table.name) == result.end()) continue;
    const auto set = database.update_time_to_live(
        {.table_name = table.name, .attribute_name = table.ttl_attribute, .enabled = true});
    // Reads hide expired items anyway; an endpoint without TTL just never deletes them.
    if (!set && set.error().code != ErrorCode::kUnknownOperation)
      return refuse(500, fmt::format("Table {}: {}", table.name, set.error().message));
  }
  for (const design::Table& table : tables_of(design)) {
    if (!table.recovery || std::find(result.begin(), result.end(), table.name) == result.end()) continue;
    const auto set = database.update_continuous_backups({.table_name = table.name, .enabled = true});
    if (!set && set.error().code != ErrorCode::kUnknownOperation)
      return refuse(500, fmt::format("Table {}: {}", table.name, set.error().message));
  }
  return result;
}

Outcome<std::vector<std::string>> verify_tables(const design::Design& design, Database& database, bool has_ttl) {
  std::vector<std::string> differences;
  for (const design::Table& table : tables_of(design)) {
    const auto described = database.describe_table({.table_name = table.name});
    if (!described) {
      if (!is_missing_table(described.error())) return std::unexpected(refused_by(described.error()));
      differences.push_back(fmt::format("Table {} is missing.", table.name));
      continue;
    }
    compare(table, described->table, differences);
    if (!has_ttl) continue;
    const auto ttl = database.describe_time_to_live({.table_name = table.name});
    if (!ttl) return std::unexpected(refused_by(ttl.error()));
    const std::string have = ttl->attribute_name.value_or("none");
    const std::string want = table.ttl_attribute.empty() ? "none" : table.ttl_attribute;
    if (have != want) {
      differences.push_back(
          fmt::format("Table {}: the TTL attribute is {}; the design has {}.", table.name, have, want));
    }
  }
  return differences;
}

}  // namespace trestle::runtime
