#include "engine/indexes/index_redefinition.h"

#include <algorithm>

#include <fmt/format.h>

#include "engine/indexes/index_definition.h"
#include "engine/tables/account_limits.h"
#include "engine/tables/key_definition.h"
#include "engine/tables/throughput_definition.h"
#include "model/limits.h"

namespace trestle {
namespace {

// "Schema:[SchemaElement: key{a:S:HASH}, SchemaElement: key{b:N:RANGE}]".
std::string schema_text(const KeySchema& key) {
  std::vector<std::string> elements;
  for (const auto* part : {&key.hash, &key.range}) {
    for (const auto& attribute : *part) {
      elements.push_back(fmt::format("SchemaElement: key{{{}:{}:{}}}", attribute.name, type_name(attribute.type),
                                     part == &key.hash ? "HASH" : "RANGE"));
    }
  }
  return fmt::format("Schema:{}", bracketed(elements));
}

bool types_differ(const KeySchema& a, const KeySchema& b) {
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

// Checks that an attribute that is a key of the table or an index already keeps its type.
Result<void> check_same_types(const TableDescription& table, const KeySchema& added) {
  const KeySchema* existing = types_differ(added, table.key) ? &table.key : nullptr;
  for (const auto& index : table.indexes) {
    if (existing == nullptr && types_differ(added, index.key)) existing = &index.key;
  }
  if (existing == nullptr) return {};
  return invalid_parameter(
      fmt::format("Attributes cannot be redefined. Please check that your attribute has the same type as previously "
                  "defined. Existing schema: {} New schema: {}",
                  schema_text(*existing), schema_text(added)));
}

// Adds the definitions of the new key's attributes to the table's. Other definitions in the request are ignored.
void add_definitions(TableDescription& table, const KeySchema& key) {
  for (const auto* part : {&key.hash, &key.range}) {
    for (const auto& attribute : *part) {
      if (std::ranges::find(table.attributes, attribute) == table.attributes.end()) {
        table.attributes.push_back(attribute);
      }
    }
  }
  std::ranges::sort(table.attributes, {}, &KeyAttribute::name);
}

Result<void> check_not_deleting(const TableDescription& table, const IndexDescription& index) {
  if (index.status != Status::kDeleting) return {};
  return failure(ErrorCode::kResourceInUse,
                 fmt::format("Attempt to change a resource which is still in use: Index is being deleted. Table: {} "
                             "Index: {}",
                             table.name, index.name));
}

Result<void> create_index(TableDescription& table, const IndexDefinition& index, const UpdateTableRequest& request) {
  if (const auto* existing = table.index(index.index_name); existing != nullptr) {
    TRY(check_not_deleting(table, *existing));
    return invalid("Attempting to create an index which already exists");
  }
  if (table.vector_index(index.index_name) != nullptr) {
    return invalid("Attempting to create an index which already exists");
  }
  TRY_INTO(auto created, define_global_index(index, {.table_arn = table.arn,
                                                     .table_key = table.key,
                                                     .definitions = *request.attribute_definitions,
                                                     .billing = table.billing,
                                                     .table_is_new = false}));
  TRY(check_same_types(table, created.key));
  if (std::ranges::count_if(table.indexes, &IndexDescription::global) >= static_cast<int64_t>(kGlobalIndexesMax)) {
    return subscriber_limit(
        fmt::format("Number of global secondary indexes exceeds per-table limit "
                    "of {}",
                    kGlobalIndexesMax));
  }
  add_definitions(table, created.key);
  created.backfilling = true;
  table.indexes.push_back(std::move(created));
  return check_projected_attributes(table.indexes);
}

// Finds a global index by name. `verb` is the requested change, for error messages.
Result<IndexDescription*> find_index(TableDescription& table, std::string_view name, std::string_view verb) {
  const auto found = std::ranges::find(table.indexes, name, &IndexDescription::name);
  if (found == table.indexes.end()) {
    return failure(ErrorCode::kResourceNotFound,
                   fmt::format("Requested resource not found: Index {} for table {}", name, table.name));
  }
  if (!found->global) {
    return invalid(fmt::format("Cannot {} an index that is not a GlobalSecondaryIndex: {}", verb, name));
  }
  TRY(check_not_deleting(table, *found));
  return &*found;
}

Result<void> check_index_units_change(const IndexDescription& index, const Throughput& requested) {
  if (index.throughput != requested) return {};
  return invalid(fmt::format(
      "The provisioned throughput for the index {0} will not change. The requested value equals the current value. "
      "Current ReadCapacityUnits provisioned for index {0}: {1}. Requested ReadCapacityUnits: {1}. "
      "Current WriteCapacityUnits provisioned for index {0}: {2}. Requested WriteCapacityUnits: {2}. {3}",
      index.name, requested.read_units, requested.write_units, kLimitsReference));
}

Result<void> update_index(TableDescription& table, const IndexDefinition& change, IndexChangeContext context) {
  TRY_INTO(auto* index, find_index(table, change.index_name, "update"));
  const bool has_on_demand = change.on_demand && *change.on_demand != ThroughputLimits{};
  if (table.billing == BillingMode::kPayPerRequest && (change.throughput || (!has_on_demand && !change.warm))) {
    return invalid_parameter(
        fmt::format("The only Updates for index: {} when TableThroughputMode is PAY_PER_REQUEST can be to "
                    "OnDemandThroughput, WarmThroughput",
                    index->name));
  }
  if (table.billing == BillingMode::kProvisioned && !change.throughput && !change.on_demand && !change.warm) {
    return invalid_parameter(
        fmt::format("Both ReadCapacityUnits and WriteCapacityUnits must be specified for index: {}", index->name));
  }
  if (change.throughput) {
    if (!context.billing_switches) {
      TRY(check_index_units_change(*index, *change.throughput));
      if (shrinks(index->throughput, *change.throughput)) {
        TRY(check_decrease(index->throughput_decreases_today, index->throughput_decreased_ms, context.now_ms));
      }
    }
    change_units(*index, *change.throughput, context.now_ms);
  }
  const ThroughputSubject subject{.index = index->name, .is_new = false};
  TRY(check_on_demand(subject, table.billing, change.on_demand));
  index->on_demand = merge_limits(index->on_demand, change.on_demand);
  TRY(check_warm(subject, table.billing, index->warm, change.warm));
  index->warm = merge_limits(index->warm, change.warm);
  if (index->status == Status::kActive) index->status = Status::kUpdating;
  return {};
}

// An index may be deleted while it is being created, which cancels its creation.
Result<void> delete_index(TableDescription& table, std::string_view name) {
  TRY_INTO(auto* index, find_index(table, name, "delete"));
  index->status = Status::kDeleting;
  index->backfilling = false;
  return {};
}

// Only one index of any kind can be created or deleted at a time, including those in progress.
Result<void> check_one_online_index(const TableDescription& table, const UpdateTableRequest& request) {
  size_t online = 0;
  for (const auto& update : request.index_updates.value_or(std::vector<IndexUpdate>{})) {
    online += update.kind != IndexUpdate::Kind::kUpdate ? 1 : 0;
  }
  if (request.vector_index_updates) online += request.vector_index_updates->size();
  if (online == 0) return {};
  const auto is_named = [&](std::string_view name) {
    const auto names_it = [&](const auto& update) { return update.index.index_name == name; };
    return (request.index_updates && std::ranges::any_of(*request.index_updates, names_it)) ||
           (request.vector_index_updates && std::ranges::any_of(*request.vector_index_updates, names_it));
  };
  const auto count = [&](const auto& index) {
    const bool in_progress = index.status == Status::kCreating || index.status == Status::kDeleting;
    online += in_progress && !is_named(index.name) ? 1 : 0;
  };
  for (const auto& index : table.indexes) {
    if (index.global) count(index);
  }
  std::ranges::for_each(table.vector_indexes, count);
  if (online <= 1) return {};
  return subscriber_limit("Only 1 online index can be created or deleted simultaneously per table");
}

}  // namespace

Result<void> check_index_updates(const UpdateTableRequest& request) {
  if (!request.index_updates) return {};
  const auto& updates = *request.index_updates;
  if (updates.empty()) return invalid_parameter("List of GlobalSecondaryIndexUpdates is empty");
  for (size_t i = 0; i < updates.size(); ++i) {
    const auto& index = updates[i].index;
    for (size_t j = 0; j < i; ++j) {
      if (updates[j].index.index_name != index.index_name) continue;
      return invalid_parameter(fmt::format(
          "Only one global secondary index update per index is allowed simultaneously. Index: {}", index.index_name));
    }
    if (updates[i].kind == IndexUpdate::Kind::kUpdate && index.warm && *index.warm == ThroughputLimits{}) {
      return invalid_parameter(fmt::format(
          "WarmThroughput must have at least one of ReadUnitsPerSecond or WriteUnitsPerSecond specified for "
          "index: {}",
          index.index_name));
    }
    if (updates[i].kind != IndexUpdate::Kind::kCreate) continue;
    if (!request.attribute_definitions) {
      return invalid_parameter(fmt::format("AttributeDefinitions is not specified for index: {}", index.index_name));
    }
    TRY(check_global_index(index, *request.attribute_definitions));
  }
  return {};
}

Result<void> change_indexes(TableDescription& table, const UpdateTableRequest& request, IndexChangeContext context) {
  TRY(check_one_online_index(table, request));
  if (!request.index_updates) return {};
  for (const auto& update : *request.index_updates) {
    switch (update.kind) {
      case IndexUpdate::Kind::kCreate:
        TRY(create_index(table, update.index, request));
        break;
      case IndexUpdate::Kind::kUpdate:
        TRY(update_index(table, update.index, context));
        break;
      case IndexUpdate::Kind::kDelete:
        TRY(delete_index(table, update.index.index_name));
        break;
    }
  }
  return {};
}

}  // namespace trestle
