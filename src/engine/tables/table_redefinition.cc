#include "engine/tables/table_redefinition.h"

#include <algorithm>

#include <fmt/format.h>

#include "engine/indexes/index_redefinition.h"
#include "engine/tables/account_limits.h"
#include "engine/tables/key_definition.h"
#include "engine/tables/throughput_definition.h"
#include "engine/vectors/vector_definition.h"

namespace trestle {
namespace {

// ---- Which changes may be combined in one request.

// The kinds of changes in a request.
struct Changes {
  bool units = false;  // the table's provisioned units, set explicitly or by switching to PROVISIONED
  bool any_billing = false;
  bool stream = false;
  bool indexes = false;
  bool online_index = false;  // an index is created or deleted
  bool new_index = false;
  bool sse = false;
  bool table_class = false;
  bool deletion_protection = false;
  bool warm = false;
  bool on_demand = false;

  int count() const {
    return (units || any_billing) + stream + indexes + sse + table_class + deletion_protection + warm + on_demand;
  }
};

Changes changes_of(const UpdateTableRequest& request) {
  Changes changes;
  changes.any_billing = request.billing_mode.has_value();
  changes.units = request.throughput || request.billing_mode == BillingMode::kProvisioned;
  changes.stream = request.stream.has_value();
  changes.sse = request.sse.has_value();
  changes.table_class = request.table_class.has_value();
  changes.deletion_protection = request.deletion_protection.has_value();
  changes.warm = request.warm.has_value();
  changes.on_demand = request.on_demand.has_value();
  for (const auto& update : request.vector_index_updates.value_or(std::vector<VectorIndexUpdate>{})) {
    changes.indexes = true;
    changes.online_index = true;
    changes.new_index |= !update.is_delete;
  }
  if (!request.index_updates) return changes;
  for (const auto& update : *request.index_updates) {
    changes.indexes = true;
    changes.online_index |= update.kind != IndexUpdate::Kind::kUpdate;
    changes.new_index |= update.kind == IndexUpdate::Kind::kCreate;
  }
  return changes;
}

Result<void> check_combination(const Changes& changes) {
  const bool alone = changes.count() == 1;
  const auto not_alone = [](std::string_view what) {
    return invalid_parameter(fmt::format("{} must be the only operation in the request", what));
  };
  if (changes.sse && !alone) return not_alone("Server-Side Encryption modification");
  if (changes.table_class && !alone) return not_alone("TableClass modification");
  if (changes.deletion_protection && !alone) return not_alone("DeletionProtection modification");
  if (changes.warm && changes.new_index) {
    return invalid_parameter("Create global secondary index cannot be specified when updating WarmThroughput");
  }
  if (changes.on_demand && changes.count() > (changes.any_billing ? 2 : 1)) {
    return invalid_parameter("OnDemandThroughput can only be combined with BillingMode in an UpdateTable request");
  }
  if (changes.warm && !alone) return not_alone("WarmThroughput");
  if (changes.stream && changes.units) {
    return invalid_parameter("You cannot modify stream status while updating table IOPS");
  }
  if (changes.online_index && changes.units) {
    return invalid_parameter("You cannot create or delete index while updating table IOPS");
  }
  if (changes.online_index && changes.stream) {
    return invalid_parameter("You cannot create or delete index while changing stream status");
  }
  return {};
}

// ---- Billing and units.

Result<void> check_table_units_change(const Throughput& current, const Throughput& requested) {
  if (current != requested) return {};
  return invalid(fmt::format(
      "The provisioned throughput for the table will not change. The requested value equals the current value. "
      "Current ReadCapacityUnits provisioned for the table: {0}. Requested ReadCapacityUnits: {0}. "
      "Current WriteCapacityUnits provisioned for the table: {1}. Requested WriteCapacityUnits: {1}. {2}",
      current.read_units, current.write_units, kLimitsReference));
}

void switch_to_pay_per_request(TableDescription& table, int64_t now_ms) {
  table.billing = BillingMode::kPayPerRequest;
  table.billing_summary = true;
  table.pay_per_request_since_ms = now_ms;
  table.throughput = {};
  const Throughput on_demand{.read_units = kWarmReadUnitsOnDemand, .write_units = kWarmWriteUnitsOnDemand};
  table.warm = raise_warm(table.warm, on_demand);
  for (auto& index : table.indexes) {
    if (!index.global) continue;
    index.throughput = {};
    index.warm = raise_warm(index.warm, on_demand);
    if (index.status == Status::kActive) index.status = Status::kUpdating;
  }
}

void switch_to_provisioned(TableDescription& table) {
  table.billing = BillingMode::kProvisioned;
  table.on_demand = {};
  for (auto& index : table.indexes) index.on_demand = {};
}

// Checks that a switch to PROVISIONED specifies the units of every global index.
Result<void> check_every_index_has_units(const TableDescription& current, const UpdateTableRequest& request) {
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

Result<void> change_billing_and_units(TableDescription& table, const UpdateTableRequest& request, int64_t now_ms) {
  const auto billing = request.billing_mode.value_or(table.billing);
  const bool switches = billing != table.billing;
  if (billing == BillingMode::kPayPerRequest) {
    TRY(check_table_throughput(billing, request.throughput));
    if (switches) switch_to_pay_per_request(table, now_ms);
    return {};
  }
  if (switches) {
    TRY(check_vector_billing(table.vector_indexes, billing));
    TRY(check_every_index_has_units(table, request));
    switch_to_provisioned(table);
  }
  if (!request.throughput) return {};
  if (!switches) {
    TRY(check_table_units_change(table.throughput, *request.throughput));
    if (shrinks(table.throughput, *request.throughput)) {
      TRY(check_decrease(table.throughput_decreases_today, table.throughput_decreased_ms, now_ms));
    }
  }
  change_units(table, *request.throughput, now_ms);
  return {};
}

// ---- The other settings.

Result<void> change_stream(TableDescription& table, const StreamSpecification& stream, int64_t now_ms) {
  if (stream.enabled) {
    if (table.stream) return invalid(fmt::format("Table already has an enabled stream: TableName: {}", table.name));
    start_stream(table, *stream.view_type, now_ms);
    return {};
  }
  if (!table.stream) return invalid(fmt::format("Table has no stream to disable: TableName: {}", table.name));
  table.stream.reset();
  return {};
}

Result<void> change_sse(TableDescription& table, const SseSpecification& requested, const TableContext& context) {
  TRY_INTO(auto sse, define_sse(requested, context));
  const bool was_enabled = table.sse.enabled.value_or(false);
  if (!sse.enabled.value_or(false) && !was_enabled) return invalid_parameter("Table is already encrypted by default");
  if (sse.enabled.value_or(false) && was_enabled && sse.key_id == table.sse.key_id) {
    return invalid_parameter(
        "Table is already encrypted with given KMSMasterKeyId. Use KMSMasterKeyId parameter if you want to change "
        "Master "
        "Key");
  }
  table.sse = std::move(sse);
  return {};
}

Result<void> change_settings(TableDescription& table, const UpdateTableRequest& request, const TableContext& context) {
  const ThroughputSubject subject{.index = {}, .is_new = false};
  TRY(check_on_demand(subject, table.billing, request.on_demand));
  table.on_demand = merge_limits(table.on_demand, request.on_demand);
  TRY(check_warm(subject, table.billing, table.warm, request.warm));
  table.warm = merge_limits(table.warm, request.warm);
  if (request.stream) TRY(change_stream(table, *request.stream, context.now_ms));
  if (request.sse) TRY(change_sse(table, *request.sse, context));
  if (request.table_class && *request.table_class != table.table_class.value_or(TableClass::kStandard)) {
    table.table_class = request.table_class;
    table.table_class_changed_ms = context.now_ms;
  }
  table.deletion_protection = request.deletion_protection.value_or(table.deletion_protection);
  return {};
}

bool is_asynchronous(const TableDescription& current, const UpdateTableRequest& request, const Changes& changes) {
  const bool billing_switches = request.billing_mode && *request.billing_mode != current.billing;
  return request.throughput || billing_switches || changes.stream || changes.online_index;
}

}  // namespace

Result<void> check_table_update(const UpdateTableRequest& request) {
  const auto changes = changes_of(request);
  if (changes.count() == 0 && !request.replica_updates) {
    return invalid(
        "At least one of ProvisionedThroughput, BillingMode, UpdateStreamEnabled, GlobalSecondaryIndexUpdates, "
        "SSESpecification, ReplicaUpdates, MultiAccountReplicaReady, ReplicaTransitRoleArn, MultiRegionConsistency, "
        "DeletionProtectionEnabled, OnDemandThroughput, WarmThroughput or TableClass is required");
  }
  if (request.replica_updates) {
    return replication_refused("ReplicaUpdates");
  }
  if (request.billing_mode == BillingMode::kProvisioned && !request.throughput) {
    return invalid_parameter("ProvisionedThroughput must be specified when BillingMode is PROVISIONED");
  }
  if (request.throughput) TRY(check_throughput_bounds(*request.throughput));
  TRY(check_index_updates(request));
  TRY(check_vector_index_updates(request));
  if (request.stream && request.stream->enabled && !request.stream->view_type) {
    return invalid_parameter("If stream is being enabled then UpdateViewType is required");
  }
  if (request.stream && !request.stream->enabled && request.stream->view_type) {
    return invalid_parameter("If stream is being disabled, then UpdateViewType must not be specified");
  }
  return check_combination(changes);
}

Result<TableDescription> redefine_table(const TableDescription& current, const UpdateTableRequest& request,
                                        const TableContext& context) {
  TRY(check_table_active(current));
  for (const auto& update : request.index_updates.value_or(std::vector<IndexUpdate>{})) {
    if (update.kind != IndexUpdate::Kind::kUpdate || !update.index.throughput) continue;
    if (check_throughput_bounds(*update.index.throughput).has_value()) continue;
    return invalid(
        "This operation cannot be performed with given input values. Please contact DynamoDB service team for more "
        "info: Action Blocked: IndexUpdate");
  }
  const bool billing_switches = request.billing_mode && *request.billing_mode != current.billing;
  auto table = current;
  TRY(change_billing_and_units(table, request, context.now_ms));
  TRY(change_indexes(table, request, {.billing_switches = billing_switches, .now_ms = context.now_ms}));
  TRY(change_vector_indexes(table, request));
  TRY(change_settings(table, request, context));
  if (is_asynchronous(current, request, changes_of(request))) table.status = Status::kUpdating;
  return table;
}

void drop_unused_definitions(TableDescription& table) {
  std::erase_if(table.attributes, [&](const KeyAttribute& attribute) {
    const auto uses = [&](const IndexDescription& index) { return index.key.contains(attribute.name); };
    return !table.key.contains(attribute.name) && !std::ranges::any_of(table.indexes, uses) &&
           !is_search_attribute(table, attribute.name);
  });
}

}  // namespace trestle
