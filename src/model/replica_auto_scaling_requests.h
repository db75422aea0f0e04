// Auto scaling of global tables' replicas: DescribeTableReplicaAutoScaling, UpdateTableReplicaAutoScaling.
//
// A table here has no replicas, so that responses tell only what identifies one, and the update carries the name alone.
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
// What both of them answer.
struct TableReplicaAutoScalingResponse {
  std::string table_name;
  Status table_status = Status::kActive;
  std::vector<ReplicaAutoScaling> replicas;
};
using DescribeTableReplicaAutoScalingResponse = TableReplicaAutoScalingResponse;
using UpdateTableReplicaAutoScalingResponse = TableReplicaAutoScalingResponse;

}  // namespace trestle
