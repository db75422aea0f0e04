// The shapes of global tables, version 2017.
#pragma once

#include "model/global_table_requests.h"
#include "model/shapes/auto_scaling_shapes.h"
#include "model/shapes/table_enumerations.h"

namespace trestle {

struct GlobalTableRules : ShapeRules {
  static constexpr rules::Needed global_table_name_needed{
      "The parameter 'GlobalTableName' is required but was not present in the request"};
  static void name(auto& of, auto field) {
    of.member("GlobalTableName", field, global_table_name_needed, table_name_length, name_pattern);
  }
};

template <>
struct Shape<CreateGlobalTableRequest> : GlobalTableRules {
  static void members(auto& of) {
    name(of, &CreateGlobalTableRequest::global_table_name);
    of.member("ReplicationGroup", &CreateGlobalTableRequest::regions, required, wrapped_in("Replica", "RegionName"));
  }
};

template <>
struct Shape<UpdateGlobalTableRequest::ReplicaUpdate> : ShapeRules {
  static constexpr std::string_view kType = "ReplicaUpdate";
  static void members(auto& of) {
    using Of = UpdateGlobalTableRequest::ReplicaUpdate;
    of.structure(
        "Create", [](auto& in) { in.member("RegionName", &Of::created_region, required); }, type("CreateReplicaAction"),
        omit_default);
    of.structure(
        "Delete", [](auto& in) { in.member("RegionName", &Of::deleted_region, required); }, type("DeleteReplicaAction"),
        omit_default);
  }
};
template <>
struct Shape<UpdateGlobalTableRequest> : GlobalTableRules {
  static void members(auto& of) {
    name(of, &UpdateGlobalTableRequest::global_table_name);
    of.member("ReplicaUpdates", &UpdateGlobalTableRequest::replica_updates, required);
  }
};

template <>
struct Shape<DescribeGlobalTableRequest> : GlobalTableRules {
  static void members(auto& of) { name(of, &DescribeGlobalTableRequest::global_table_name); }
};

template <>
struct Shape<GlobalTableReplica> : ShapeRules {
  static void members(auto& of) {
    of.member("RegionName", &GlobalTableReplica::region);
    of.member("ReplicaStatus", &GlobalTableReplica::status);
  }
};
template <>
struct Shape<GlobalTableDescription> : ShapeRules {
  static void members(auto& of) {
    using Of = GlobalTableDescription;
    of.member("ReplicationGroup", &Of::replicas);
    of.member("GlobalTableArn", &Of::arn);
    of.member("CreationDateTime", &Of::created_ms, timestamp);
    of.member("GlobalTableStatus", &Of::status);
    of.member("GlobalTableName", &Of::name);
  }
};
template <>
struct Shape<GlobalTableResponse> : ShapeRules {
  static void members(auto& of) { of.member("GlobalTableDescription", &GlobalTableResponse::global_table); }
};

template <>
struct Shape<ListGlobalTablesRequest> : ShapeRules {
  static void members(auto& of) {
    using Of = ListGlobalTablesRequest;
    of.member("ExclusiveStartGlobalTableName", &Of::exclusive_start_global_table_name, name_length, name_pattern);
    of.member("Limit", &Of::limit, integer, at_least(1));
    of.member("RegionName", &Of::region);
  }
};
template <>
struct Shape<ListGlobalTablesResponse::Entry> : ShapeRules {
  static void members(auto& of) {
    of.member("GlobalTableName", &ListGlobalTablesResponse::Entry::name);
    of.member("ReplicationGroup", &ListGlobalTablesResponse::Entry::regions, wrapped_in("Replica", "RegionName"));
  }
};
template <>
struct Shape<ListGlobalTablesResponse> : ShapeRules {
  static void members(auto& of) {
    of.member("GlobalTables", &ListGlobalTablesResponse::global_tables);
    of.member("LastEvaluatedGlobalTableName", &ListGlobalTablesResponse::last_evaluated_global_table_name);
  }
};

// Settings of the replicas, which are validated and then ignored.
struct IndexSettingsUpdate {};
template <>
struct Shape<IndexSettingsUpdate> : ShapeRules {
  static constexpr std::string_view kType = "GlobalTableGlobalSecondaryIndexSettingsUpdate";
  static void members(auto& of) {
    of.unused("IndexName", std::string(), required, name_pattern, name_length);
    of.unused("ProvisionedWriteCapacityUnits", int64_t(), at_least(1));
    of.unused("ProvisionedWriteCapacityAutoScalingSettingsUpdate", AutoScalingSettings());
  }
};
struct ReplicaIndexSettingsUpdate {};
template <>
struct Shape<ReplicaIndexSettingsUpdate> : ShapeRules {
  static constexpr std::string_view kType = "ReplicaGlobalSecondaryIndexSettingsUpdate";
  static void members(auto& of) {
    of.unused("IndexName", std::string(), required, name_pattern, name_length);
    of.unused("ProvisionedReadCapacityUnits", int64_t(), at_least(1));
    of.unused("ProvisionedReadCapacityAutoScalingSettingsUpdate", AutoScalingSettings());
  }
};
struct ReplicaSettingsUpdate {};
template <>
struct Shape<ReplicaSettingsUpdate> : ShapeRules {
  static constexpr std::string_view kType = "ReplicaSettingsUpdate";
  static void members(auto& of) {
    of.unused("RegionName", std::string(), required);
    of.unused("ReplicaProvisionedReadCapacityUnits", int64_t(), at_least(1));
    of.unused("ReplicaProvisionedReadCapacityAutoScalingSettingsUpdate", AutoScalingSettings());
    of.unused("ReplicaTableClass", TableClass(), one_of(kTableClasses));
    of.unused("ReplicaGlobalSecondaryIndexSettingsUpdate", std::vector<ReplicaIndexSettingsUpdate>(), count(1, 20));
  }
};

template <>
struct Shape<UpdateGlobalTableSettingsRequest> : GlobalTableRules {
  static void members(auto& of) {
    using Of = UpdateGlobalTableSettingsRequest;
    name(of, &Of::global_table_name);
    of.member("GlobalTableBillingMode", &Of::billing_mode, one_of(kBillingModes));
    of.member("GlobalTableProvisionedWriteCapacityUnits", &Of::write_units, at_least(1));
    of.unused("GlobalTableProvisionedWriteCapacityAutoScalingSettingsUpdate", AutoScalingSettings());
    of.unused("GlobalTableGlobalSecondaryIndexSettingsUpdate", std::vector<IndexSettingsUpdate>(), count(1, 20));
    of.unused("ReplicaSettingsUpdate", std::vector<ReplicaSettingsUpdate>(), count(1, 50));
  }
};
template <>
struct Shape<DescribeGlobalTableSettingsRequest> : GlobalTableRules {
  static void members(auto& of) { name(of, &DescribeGlobalTableSettingsRequest::global_table_name); }
};
template <>
struct Shape<GlobalTableSettingsResponse> : ShapeRules {
  static void members(auto& of) {
    of.member("GlobalTableName", &GlobalTableSettingsResponse::global_table_name);
    of.member("ReplicaSettings", &GlobalTableSettingsResponse::replicas);
  }
};

}  // namespace trestle
