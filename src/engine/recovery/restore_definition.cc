#include "engine/recovery/restore_definition.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/tables/table_redefinition.h"
#include "engine/tables/throughput_definition.h"
#include "engine/vectors/vector_definition.h"

namespace trestle {
namespace {

std::unexpected<Error> invalid_request(std::string_view what) {
  return invalid(fmt::format("Invalid Request: {}", what));
}

bool same_names(const std::vector<KeySchemaElement>& requested, const KeySchema& key) {
  size_t hash = 0;
  size_t range = 0;
  for (const KeySchemaElement& element : requested) {
    const auto& part = element.is_range ? key.range : key.hash;
    size_t& at = element.is_range ? range : hash;
    if (at == part.size() || part[at++].name != element.attribute_name) return false;
  }
  return hash == key.hash.size() && range == key.range.size();
}

bool same_projection(const IndexDefinition& requested, const Projection& projection) {
  if (requested.projection_type.value_or(ProjectionType::kAll) != projection.type) return false;
  if (projection.type != ProjectionType::kInclude) return true;
  auto names = requested.non_key_attributes.value_or(std::vector<std::string>{});
  auto expected = projection.non_key_attributes;
  std::ranges::sort(names);
  std::ranges::sort(expected);
  return names == expected;
}

const IndexDescription* matching(const TableDescription& source, const IndexDefinition& requested, bool global) {
  for (const IndexDescription& index : source.indexes) {
    if (index.global == global && same_names(requested.key_schema, index.key) &&
        same_projection(requested, index.projection)) {
      return &index;
    }
  }
  return nullptr;
}

Result<void> check_billing(const TableDescription& source, const RestoreOverrides& overrides, BillingMode billing) {
  if (billing == BillingMode::kPayPerRequest) {
    if (overrides.throughput) {
      return invalid_request(
          overrides.billing_mode
              ? "Cannot override ProvisionedThroughput if BillingMode is overridden to PAY_PER_REQUEST"
              : "Cannot override ProvisionedThroughput unless BillingMode is PROVISIONED");
    }
    return {};
  }
  if (overrides.billing_mode && !overrides.throughput && source.billing != BillingMode::kProvisioned) {
    return invalid_request("Must override ProvisionedThroughput if BillingMode is overridden to PROVISIONED");
  }
  if (overrides.on_demand) {
    const std::string_view figure = overrides.on_demand->read_units ? "MaxReadRequestUnits" : "MaxWriteRequestUnits";
    return invalid_request(
        fmt::format("Cannot override {} for OnDemandThroughput unless BillingModeOverride is PAY_PER_REQUEST", figure));
  }
  return {};
}

// Sets the throughput of a restored index, according to the table's billing mode.
Result<void> define_throughput(IndexDescription& index, const std::optional<Throughput>& requested, bool is_overridden,
                               const TableDescription& table) {
  if (table.billing == BillingMode::kPayPerRequest) {
    if (requested) {
      return invalid_request(fmt::format(
          "Cannot override ProvisionedThroughput if BillingMode is overridden to PAY_PER_REQUEST for index {}",
          index.name));
    }
    index.throughput = {};
  } else if (requested) {
    TRY(check_throughput_bounds(*requested));
    index.throughput = *requested;
  } else if (is_overridden || index.throughput == Throughput{}) {
    return invalid_request(fmt::format("Must specify provisioned throughput for index {}", index.name));
  }
  if (table.billing == BillingMode::kProvisioned) index.on_demand = {};
  index.warm = default_warm(table.billing, index.throughput);
  return {};
}

Result<void> define_indexes(const TableDescription& source, const RestoreOverrides& overrides, bool global,
                            TableDescription& table) {
  const auto& requested = global ? overrides.global_indexes : overrides.local_indexes;
  std::vector<IndexDescription> indexes;
  if (!requested) {
    for (const IndexDescription& index : source.indexes) {
      if (index.global != global) continue;
      if (global) TRY(define_throughput(indexes.emplace_back(index), std::nullopt, false, table));
      if (!global) indexes.push_back(index);
    }
  } else {
    for (const IndexDefinition& requested_index : *requested) {
      const IndexDescription* index = matching(source, requested_index, global);
      const auto has_name = [&](const IndexDescription& other) { return other.name == requested_index.index_name; };
      if (index == nullptr) {
        return invalid_request(
            fmt::format("Index {} does not match a secondary index that existed in the source table and cannot be "
                        "created during the restore operation",
                        requested_index.index_name));
      }
      if (std::ranges::any_of(indexes, has_name) || std::ranges::any_of(table.indexes, has_name)) {
        return invalid_parameter(fmt::format("Duplicate index name: {}", requested_index.index_name));
      }
      IndexDescription& restored = indexes.emplace_back(*index);
      restored.name = requested_index.index_name;
      if (!global) continue;
      TRY(define_throughput(restored, requested_index.throughput, true, table));
      if (requested_index.on_demand) {
        TRY(check_on_demand({.index = restored.name}, table.billing, requested_index.on_demand));
        restored.on_demand = *requested_index.on_demand;
      }
    }
  }
  table.indexes.insert(table.indexes.end(), indexes.begin(), indexes.end());
  return {};
}

}  // namespace

Result<TableDescription> define_restored_table(const TableDescription& source, const RestoreOverrides& overrides,
                                               const RestoreTarget& target, const TableContext& context) {
  TableDescription table;
  table.name = target.table_name;
  table.id = context.table_id;
  table.arn = table_arn(context.region, context.account, target.table_name);
  table.status = Status::kCreating;
  table.created_ms = context.now_ms;
  table.restore = target.from;
  table.attributes = source.attributes;
  table.key = source.key;
  table.billing = overrides.billing_mode.value_or(source.billing);
  TRY(check_billing(source, overrides, table.billing));
  if (table.billing == BillingMode::kPayPerRequest) {
    table.billing_summary = true;
    table.pay_per_request_since_ms = context.now_ms;
    table.on_demand = overrides.on_demand                             ? *overrides.on_demand
                      : source.billing == BillingMode::kPayPerRequest ? source.on_demand
                                                                      : ThroughputLimits{};
    TRY(check_on_demand({}, table.billing, overrides.on_demand));
  } else {
    if (overrides.throughput) TRY(check_throughput_bounds(*overrides.throughput));
    table.throughput = overrides.throughput.value_or(source.throughput);
  }
  table.warm = default_warm(table.billing, table.throughput);
  TRY(define_indexes(source, overrides, false, table));
  TRY(define_indexes(source, overrides, true, table));
  for (IndexDescription& index : table.indexes) {
    index.status = index.global ? Status::kCreating : Status::kActive;
    index.backfilling = false;
    index.throughput_increased_ms = 0;
    index.throughput_decreased_ms = 0;
    index.throughput_decreases_today = 0;
    index.item_count = 0;
    index.size_bytes = 0;
    index.arn = fmt::format("{}/index/{}", table.arn, index.name);
    index.keyspace = 0;
    index.insights.reset();
  }
  TRY(define_restored_vector_indexes(source, overrides, table));
  drop_unused_definitions(table);
  table.sse = source.sse;
  if (overrides.sse) {
    TRY_INTO(table.sse, define_sse(*overrides.sse, context));
  }
  return table;
}

}  // namespace trestle
