// Auto scaling of the replicas of global tables: DescribeTableReplicaAutoScaling, UpdateTableReplicaAutoScaling.
//
// Trestle's tables have no replicas, so responses contain only what identifies a replica, and the update contains only
// the table name.
#pragma once

#include "model/table_requests.h"

namespace trestle {

struct DescribeTableReplicaAutoScalingRequest {
  std::string table_name;
};
struct UpdateTableReplicaAutoScalingRequest {
  std::string table_name;
};

struct ReplicaAutoScaling {
  std::string region;
  std::string status;  // in the API's own spelling
};
// Response of both operations.
struct TableReplicaAutoScalingResponse {
  std::string table_name;
  Status table_status = Status::kActive;
  std::vector<ReplicaAutoScaling> replicas;
};
using DescribeTableReplicaAutoScalingResponse = TableReplicaAutoScalingResponse;
using UpdateTableReplicaAutoScalingResponse = TableReplicaAutoScalingResponse;

}  // namespace trestle
