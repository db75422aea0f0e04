// Auto scaling of global tables' replicas: DescribeTableReplicaAutoScaling, UpdateTableReplicaAutoScaling.
//
// Tables here have no replicas, so responses hold only what identifies a replica, and the update holds only the table
// name.
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
  std::string status;  // the API's own word
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
