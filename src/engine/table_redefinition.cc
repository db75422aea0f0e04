#include "engine/table_redefinition.h"

#include <algorithm>

#include <fmt/format.h>

#include "engine/index_definition.h"
#include "engine/key_definition.h"
#include "engine/throughput_definition.h"
#include "model/limits.h"

namespace trestle {
namespace {

constexpr int64_t kDayMs = 24 * 60 * 60 * 1000;

IndexDescription* find_global_index(TableDescription& table, std::string_view name) {
  const auto is_it = [&](const IndexDescription& index) { return index.global && index.name == name; };
  const auto found = std::ranges::find_if(table.indexes, is_it);
  return found == table.indexes.end() ? nullptr : &*found;
}

Result<void> check_units_change(std::string_view subject, std::string_view kind, const Throughput& current,
                                const Throughput& requested) {
  if (current != requested) return {};
  return invalid(fmt::format(
      "The provisioned throughput for the {0} will not change. The requested value equals the current value. "
      "Current ReadCapacityUnits provisioned for the {1}: {2}. Requested ReadCapacityUnits: {3}. "
      "Current WriteCapacityUnits provisioned for the {1}: {4}. Requested WriteCapacityUnits: {5}. "
      "Refer to the Amazon DynamoDB Developer Guide for current limits and how to request higher limits.",
      subject, kind, current.read_units, requested.read_units, current.write_units, requested.write_units));
}

// Remembers when the table's units last grew and shrank, and how often they shrank on this day (UTC).
void note_units_change(TableDescription& table, const Throughput& requested, int64_t now_ms) {
  const auto& current = table.throughput;
  if (requested.read_units > current.read_units || requested.write_units > current.write_units) {
    table.throughput_increased_ms = now_ms;
  }
  if (requested.read_units < current.read_units || requested.write_units < current.write_units) {
    if (table.throughput_decreased_ms / kDayMs != now_ms / kDayMs) table.throughput_decreases_today = 0;
    ++table.throughput_decreases_today;
    table.throughput_decreased_ms = now_ms;
  }
  table.throughput = requested;
}

Result<void> change_billing_and_units(TableDescription& table, const UpdateTableRequest& request, int64_t now_ms) {
  const auto billing = request.billing_mode.value_or(table.billing);
  const bool switches = billing != table.billing;
  if (billing == BillingMode::kPayPerRequest) {
    TRY(check_table_throughput(billing, request.throughput));
    if (!switches) return {};
    table.billing_summary = true;
    table.pay_per_request_since_ms = now_ms;
    table.throughput = {};
    for (auto& index : table.indexes) {
      if (!index.global) continue;
      index.throughput = {};
      if (index.status == Status::kActive) index.status = Status::kUpdating;
    }
  } else if (request.throughput) {
    if (!switches) TRY(check_units_change("table", "table", table.throughput, *request.throughput));
    note_units_change(table, *request.throughput, now_ms);
    table.on_demand = switches ? ThroughputLimits{} : table.on_demand;
  }
  table.billing = billing;
  return {};
}

// A switch to PROVISIONED names the units of every global index.
Result<void> check_every_index_has_units(const TableDescription& current, const UpdateTableRequest& request) {
  const bool switches = request.billing_mode == BillingMode::kProvisioned && current.billing != *request.billing_mode;
  if (!switches) return {};
  std::string missing;
  for (const auto& index : current.indexes) {
    if (!index.global || index.status == Status::kDeleting) continue;
    const auto names_it = [&](const IndexUpdate& update) {
      return update.index.index_name == index.name &&
             (update.index.throughput || update.kind == IndexUpdate::Kind::kDelete);
    };
    if (request.index_updates && std::ranges::any_of(*request.index_updates, names_it)) continue;
    missing += missing.empty() ? index.name : "," + index.name;
  }
  if (missing.empty()) return {};
  return invalid_parameter(fmt::format("ProvisionedThroughput must be specified for index: {}", missing));
}

std::unexpected<Error> units_not_allowed(std::string_view index) {
  return invalid_parameter(
      fmt::format("Neither ReadCapacityUnits nor WriteCapacityUnits can be specified for index: {} when BillingMode is "
                  "PAY_PER_REQUEST",
                  index));
}

// "Schema:[SchemaElement: key{a:S:HASH}, SchemaElement: key{b:N:RANGE}]".
std::string shown_schema(const KeySchema& key) {
  std::vector<std::string> elements;
  for (const auto* part : {&key.hash, &key.range}) {
    for (const auto& attribute : *part) {
      elements.push_back(fmt::format("SchemaElement: key{{{}:{}:{}}}", attribute.name, type_name(attribute.type),
                                     part == &key.hash ? "HASH" : "RANGE"));
    }
  }
  return fmt::format("Schema:{}", bracketed(elements));
}

bool disagree(const KeySchema& a, const KeySchema& b) {
  for (const auto* part : {&a.hash, &a.range}) {
    for (const auto& attribute : *part) {
      if (b.contains(attribute.name) && std::ranges::find(b.hash, attribute) == b.hash.end() &&
          std::ranges::find(b.range, attribute) == b.range.end()) {
        return true;
      }
    }
  }
  return false;
}

// An attribute that is a key somewhere keeps its type.
Result<void> check_same_types(const TableDescription& table, const KeySchema& added) {
  const KeySchema* existing = disagree(added, table.key) ? &table.key : nullptr;
  for (const auto& index : table.indexes) {
    if (existing == nullptr && disagree(added, index.key)) existing = &index.key;
  }
  if (existing == nullptr) return {};
  return invalid_parameter(
      fmt::format("Attributes cannot be redefined. Please check that your attribute has the same type as previously "
                  "defined. Existing schema: {} New schema: {}",
                  shown_schema(*existing), shown_schema(added)));
}

// The table's definitions and those of the new index's key; others that a request may name are ignored.
void add_definitions(TableDescription& table, const KeySchema& key) {
  for (const auto* part : {&key.hash, &key.range}) {
    for (const auto& attribute : *part) {
      if (std::ranges::find(table.attributes, attribute) == table.attributes.end()) {
        table.attributes.push_back(attribute);
      }
    }
  }
}

Result<void> create_index(TableDescription& table, const IndexDefinition& index, const UpdateTableRequest& request) {
  if (table.index(index.index_name) != nullptr) return invalid("Attempting to create an index which already exists");
  if (table.billing == BillingMode::kPayPerRequest && index.throughput) return units_not_allowed(index.index_name);
  // A request defines every attribute of the new key, also those that the table knows.
  const auto definitions = request.attribute_definitions.value_or(std::vector<KeyAttribute>{});
  TRY_INTO(auto created, define_global_index(index, {.table_arn = table.arn,
                                                     .table_key = table.key,
                                                     .definitions = definitions,
                                                     .billing = table.billing}));
  TRY(check_same_types(table, created.key));
  add_definitions(table, created.key);
  created.backfilling = true;
  table.indexes.push_back(std::move(created));
  if (std::ranges::count_if(table.indexes, &IndexDescription::global) > static_cast<int64_t>(kGlobalIndexesMax)) {
    return failure(ErrorCode::kLimitExceeded,
                   fmt::format("GlobalSecondaryIndex count exceeds the per-table limit of {}", kGlobalIndexesMax));
  }
  return check_projected_attributes(table.indexes);
}

Result<void> check_index_settled(const TableDescription& table, const IndexDescription& index) {
  std::string_view doing;
  switch (index.status) {
    case Status::kActive: return {};
    case Status::kCreating: doing = "created"; break;
    case Status::kUpdating: doing = "updated"; break;
    case Status::kDeleting: doing = "deleted"; break;
  }
  return failure(ErrorCode::kResourceInUse,
                 fmt::format("Attempt to change a resource which is still in use: Index is being {}: TableName: {}, "
                             "IndexName: {}",
                             doing, table.name, index.name));
}

Result<void> update_index(TableDescription& table, const IndexDefinition& change, bool billing_switches) {
  auto* index = find_global_index(table, change.index_name);
  if (index == nullptr) return failure(ErrorCode::kResourceNotFound, "Requested resource not found");
  if (!billing_switches) TRY(check_index_settled(table, *index));
  const auto subject = fmt::format("index: {}", index->name);
  if (change.throughput) {
    if (table.billing == BillingMode::kPayPerRequest) return units_not_allowed(index->name);
    if (!billing_switches) {
      TRY(check_units_change(fmt::format("index {}", index->name), "index", index->throughput, *change.throughput));
    }
    index->throughput = *change.throughput;
  }
  TRY(check_on_demand(subject, table.billing, change.on_demand));
  index->on_demand = merge_limits(index->on_demand, change.on_demand);
  TRY(check_warm(subject, index->warm, change.warm));
  index->warm = merge_limits(index->warm, change.warm);
  index->status = Status::kUpdating;
  return {};
}

// An index may be deleted while it is being created: that is how a creation is called off.
Result<void> delete_index(TableDescription& table, std::string_view name) {
  auto* index = find_global_index(table, name);
  if (index == nullptr) return failure(ErrorCode::kResourceNotFound, "Requested resource not found");
  if (index->status != Status::kCreating) TRY(check_index_settled(table, *index));
  index->status = Status::kDeleting;
  index->backfilling = false;
  return {};
}

// One index at a time is created or deleted, counting those under way.
Result<void> check_one_online_index(const TableDescription& table, const UpdateTableRequest& request) {
  size_t starting = 0;
  for (const auto& update : *request.index_updates) starting += update.kind != IndexUpdate::Kind::kUpdate ? 1 : 0;
  if (starting == 0) return {};
  size_t under_way = 0;
  for (const auto& index : table.indexes) {
    const bool called_off = std::ranges::any_of(*request.index_updates, [&](const IndexUpdate& update) {
      return update.kind == IndexUpdate::Kind::kDelete && update.index.index_name == index.name;
    });
    if (index.global && !called_off && (index.status == Status::kCreating || index.status == Status::kDeleting)) {
      ++under_way;
    }
  }
  if (starting + under_way <= 1) return {};
  return failure(ErrorCode::kLimitExceeded,
                 "Subscriber limit exceeded: Only 1 online index can be created or deleted simultaneously per table");
}

Result<void> change_indexes(TableDescription& table, const UpdateTableRequest& request, bool billing_switches) {
  if (!request.index_updates) return {};
  TRY(check_one_online_index(table, request));
  for (const auto& update : *request.index_updates) {
    switch (update.kind) {
      case IndexUpdate::Kind::kCreate: TRY(create_index(table, update.index, request)); break;
      case IndexUpdate::Kind::kUpdate: TRY(update_index(table, update.index, billing_switches)); break;
      case IndexUpdate::Kind::kDelete: TRY(delete_index(table, update.index.index_name)); break;
    }
  }
  return {};
}

Result<void> change_stream(TableDescription& table, const StreamSpecification& stream, int64_t now_ms) {
  TRY(check_stream(stream));
  if (stream.enabled) {
    if (table.stream) return invalid(fmt::format("Table already has an enabled stream: TableName: {}", table.name));
    start_stream(table, *stream.view_type, now_ms);
    return {};
  }
  if (!table.stream) return invalid(fmt::format("Table has no enabled stream: TableName: {}", table.name));
  table.stream.reset();
  return {};
}

Result<void> change_settings(TableDescription& table, const UpdateTableRequest& request, const TableContext& context) {
  TRY(check_on_demand("table", table.billing, request.on_demand));
  table.on_demand = merge_limits(table.on_demand, request.on_demand);
  TRY(check_warm("table", table.warm, request.warm));
  table.warm = merge_limits(table.warm, request.warm);
  if (request.stream) TRY(change_stream(table, *request.stream, context.now_ms));
  if (request.sse) {
    TRY_INTO(table.sse, define_sse(*request.sse, context));
  }
  if (request.table_class && *request.table_class != table.table_class.value_or(TableClass::kStandard)) {
    table.table_class = request.table_class;
    table.table_class_changed_ms = context.now_ms;
  }
  table.deletion_protection = request.deletion_protection.value_or(table.deletion_protection);
  return {};
}

Result<void> check_index_updates(const std::vector<IndexUpdate>& updates) {
  for (size_t i = 0; i < updates.size(); ++i) {
    const auto& name = updates[i].index.index_name;
    for (size_t j = 0; j < i; ++j) {
      if (updates[j].index.index_name != name) continue;
      return invalid_parameter(
          fmt::format("Only one global secondary index update per index is allowed simultaneously. Index: {}", name));
    }
  }
  return {};
}

bool changes_nothing(const UpdateTableRequest& request) {
  const bool has_index_updates = request.index_updates && !request.index_updates->empty();
  return !request.throughput && !request.billing_mode && !request.stream && !has_index_updates && !request.sse &&
         !request.replica_updates && !request.table_class && !request.deletion_protection && !request.on_demand &&
         !request.warm;
}

}  // namespace

Result<void> check_table_update(const UpdateTableRequest& request) {
  if (changes_nothing(request)) {
    return invalid(
        "At least one of ProvisionedThroughput, BillingMode, UpdateStreamEnabled, GlobalSecondaryIndexUpdates or "
        "SSESpecification or ReplicaUpdates is required");
  }
  if (request.replica_updates) {
    return invalid_parameter("ReplicaUpdates is not supported: a table is kept in one place");
  }
  if (request.billing_mode == BillingMode::kProvisioned && !request.throughput) {
    return invalid_parameter("ProvisionedThroughput must be specified when BillingMode is PROVISIONED");
  }
  if (request.throughput) TRY(check_throughput_bounds(*request.throughput));
  if (request.index_updates) TRY(check_index_updates(*request.index_updates));
  return {};
}

Result<TableDescription> redefine_table(const TableDescription& current, const UpdateTableRequest& request,
                                        const TableContext& context) {
  TRY(check_table_settled(current));
  for (const auto& update : request.index_updates.value_or(std::vector<IndexUpdate>{})) {
    if (update.kind != IndexUpdate::Kind::kUpdate || !update.index.throughput) continue;
    if (check_throughput_bounds(*update.index.throughput).has_value()) continue;
    return invalid(
        "This operation cannot be performed with given input values. Please contact DynamoDB service team for more "
        "info: Action Blocked: IndexUpdate");
  }
  const bool billing_switches = request.billing_mode && *request.billing_mode != current.billing;
  auto table = current;
  TRY(check_every_index_has_units(current, request));
  TRY(change_billing_and_units(table, request, context.now_ms));
  TRY(change_indexes(table, request, billing_switches));
  TRY(change_settings(table, request, context));
  table.status = Status::kUpdating;
  return table;
}

void drop_unused_definitions(TableDescription& table) {
  std::erase_if(table.attributes, [&](const KeyAttribute& attribute) {
    const auto uses = [&](const IndexDescription& index) { return index.key.contains(attribute.name); };
    return !table.key.contains(attribute.name) && !std::ranges::any_of(table.indexes, uses);
  });
}

}  // namespace trestle
