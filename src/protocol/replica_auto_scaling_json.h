// DescribeTableReplicaAutoScaling and UpdateTableReplicaAutoScaling as JSON.
#pragma once

#include <string>

#include "model/replica_auto_scaling_requests.h"
#include "protocol/json_input.h"

namespace trestle {

Result<DescribeTableReplicaAutoScalingRequest> read_describe_table_replica_auto_scaling_json(JsonInput input);
void write_describe_table_replica_auto_scaling_json(const DescribeTableReplicaAutoScalingResponse& response,
                                                    std::string& out);

Result<UpdateTableReplicaAutoScalingRequest> read_update_table_replica_auto_scaling_json(JsonInput input);
void write_update_table_replica_auto_scaling_json(const UpdateTableReplicaAutoScalingResponse& response,
                                                  std::string& out);

}  // namespace trestle
