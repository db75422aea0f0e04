// The shapes of the auto scaling of replicas.
#pragma once

#include "model/replica_auto_scaling_requests.h"
#include "model/shapes/auto_scaling_shapes.h"
#include "model/shapes/table_enumerations.h"

namespace trestle {

template <>
struct Shape<DescribeTableReplicaAutoScalingRequest> : ShapeRules {
  static void members(auto& of) {
    of.member("TableName", &DescribeTableReplicaAutoScalingRequest::table_name, table_name_needed, existing_table);
  }
};

// Settings of the replicas, which are validated and then ignored.
struct IndexAutoScalingUpdate {};
template <>
struct Shape<IndexAutoScalingUpdate> : ShapeRules {
  static constexpr std::string_view kType = "GlobalSecondaryIndexAutoScalingUpdate";
  static void members(auto& of) {
    of.unused("IndexName", std::string(), name_pattern, name_length);
    of.unused("ProvisionedWriteCapacityAutoScalingUpdate", AutoScalingSettings());
  }
};
struct ReplicaIndexAutoScalingUpdate {};
template <>
struct Shape<ReplicaIndexAutoScalingUpdate> : ShapeRules {
  static constexpr std::string_view kType = "ReplicaGlobalSecondaryIndexAutoScalingUpdate";
  static void members(auto& of) {
    of.unused("IndexName", std::string(), name_pattern, name_length);
    of.unused("ProvisionedReadCapacityAutoScalingUpdate", AutoScalingSettings());
  }
};
struct ReplicaAutoScalingUpdate {};
template <>
struct Shape<ReplicaAutoScalingUpdate> : ShapeRules {
  static constexpr std::string_view kType = "ReplicaAutoScalingUpdate";
  static void members(auto& of) {
    of.unused("RegionName", std::string(), required);
    of.unused("ReplicaProvisionedReadCapacityAutoScalingUpdate", AutoScalingSettings());
    of.unused("ReplicaTableClass", TableClass(), one_of(kTableClasses));
    of.unused("ReplicaGlobalSecondaryIndexUpdates", std::vector<ReplicaIndexAutoScalingUpdate>());
  }
};

template <>
struct Shape<UpdateTableReplicaAutoScalingRequest> : ShapeRules {
  static void members(auto& of) {
    of.member("TableName", &UpdateTableReplicaAutoScalingRequest::table_name, table_name_needed, existing_table);
    of.unused("GlobalSecondaryIndexUpdates", std::vector<IndexAutoScalingUpdate>(), count(1));
    of.unused("ProvisionedWriteCapacityAutoScalingUpdate", AutoScalingSettings());
    of.unused("ReplicaUpdates", std::vector<ReplicaAutoScalingUpdate>(), count(1));
  }
};

template <>
struct Shape<ReplicaAutoScaling> : ShapeRules {
  static void members(auto& of) {
    of.member("RegionName", &ReplicaAutoScaling::region);
    of.member("ReplicaStatus", &ReplicaAutoScaling::status);
  }
};
template <>
struct Shape<TableReplicaAutoScalingResponse> : ShapeRules {
  static void members(auto& of) {
    using Of = TableReplicaAutoScalingResponse;
    of.structure("TableAutoScalingDescription", [](auto& in) {
      in.member("TableName", &Of::table_name);
      in.member("TableStatus", &Of::table_status, one_of(kStatuses));
      in.member("Replicas", &Of::replicas);
    });
  }
};

}  // namespace trestle
