#include "protocol/replica_auto_scaling_json.h"

#include "protocol/auto_scaling_members.h"
#include "protocol/json_output.h"
#include "protocol/table_enumerations.h"
#include "protocol/table_members.h"

namespace trestle {
namespace {

constexpr ScalingUpdateShape kIndexScalingUpdates{.type = "GlobalSecondaryIndexAutoScalingUpdate",
                                                  .name = "IndexName",
                                                  .scaling = "ProvisionedWriteCapacityAutoScalingUpdate",
                                                  .name_required = false};
constexpr ScalingUpdateShape kReplicaIndexScalingUpdates{.type = "ReplicaGlobalSecondaryIndexAutoScalingUpdate",
                                                         .name = "IndexName",
                                                         .scaling = "ProvisionedReadCapacityAutoScalingUpdate",
                                                         .name_required = false,
                                                         .count_min = 0};
constexpr ScalingUpdateShape kReplicaScalingUpdates{.type = "ReplicaAutoScalingUpdate",
                                                    .name = "RegionName",
                                                    .scaling = "ReplicaProvisionedReadCapacityAutoScalingUpdate",
                                                    .indexes = "ReplicaGlobalSecondaryIndexUpdates",
                                                    .of_indexes = &kReplicaIndexScalingUpdates};

void write_auto_scaling_response(const TableReplicaAutoScalingResponse& response, std::string& out) {
  JsonOutput json(out);
  json.begin_object();
  json.key("TableAutoScalingDescription").begin_object();
  json.member("TableName", response.table_name);
  json.member("TableStatus", choice_name(kStatuses, response.table_status));
  write_replicas("Replicas", response.replicas, json);
  json.end_object();
  json.end_object();
}

}  // namespace

Result<DescribeTableReplicaAutoScalingRequest> read_describe_table_replica_auto_scaling_json(JsonInput input) {
  TRY_INTO(const std::string_view table_name, read_table_name(input));
  return DescribeTableReplicaAutoScalingRequest{.table_name = std::string(table_name)};
}

void write_describe_table_replica_auto_scaling_json(const DescribeTableReplicaAutoScalingResponse& response,
                                                    std::string& out) {
  write_auto_scaling_response(response, out);
}

Result<UpdateTableReplicaAutoScalingRequest> read_update_table_replica_auto_scaling_json(JsonInput input) {
  std::optional<std::string_view> table_name;
  std::optional<GivenAutoScaling> scaling;
  std::optional<std::vector<GivenScalingUpdate>> indexes;
  std::optional<std::vector<GivenScalingUpdate>> replicas;
  for (const JsonMember member : input) {
    if (member.name == "TableName") {
      TRY_INTO(table_name, json_string(member.value));
    } else if (member.name == "ProvisionedWriteCapacityAutoScalingUpdate") {
      TRY_INTO(scaling, read_auto_scaling(member.value));
    } else if (member.name == "GlobalSecondaryIndexUpdates") {
      TRY_INTO(indexes, read_scaling_updates(member.value, kIndexScalingUpdates));
    } else if (member.name == "ReplicaUpdates") {
      TRY_INTO(replicas, read_scaling_updates(member.value, kReplicaScalingUpdates));
    }
  }
  TRY(require_table_name(table_name));
  Constraints constraints;
  constrain_table_name(table_name, constraints);
  constrain_scaling_updates(indexes, "globalSecondaryIndexUpdates", kIndexScalingUpdates, constraints);
  constrain_auto_scaling(scaling, "provisionedWriteCapacityAutoScalingUpdate", constraints);
  constrain_scaling_updates(replicas, "replicaUpdates", kReplicaScalingUpdates, constraints);
  TRY(constraints.check());
  return UpdateTableReplicaAutoScalingRequest{.table_name = std::string(*table_name)};
}

void write_update_table_replica_auto_scaling_json(const UpdateTableReplicaAutoScalingResponse& response,
                                                  std::string& out) {
  write_auto_scaling_response(response, out);
}

}  // namespace trestle
