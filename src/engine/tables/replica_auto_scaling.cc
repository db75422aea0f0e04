// DescribeTableReplicaAutoScaling and UpdateTableReplicaAutoScaling. Tables never have replicas here. DynamoDB returns
// the same error for a table without replicas and for a table that does not exist.
#include <fmt/format.h>

#include "engine/tables/table_operations.h"

namespace trestle {
namespace {

std::unexpected<Error> no_replicas(const std::string& name_or_arn) {
  return failure(ErrorCode::kResourceNotFound, fmt::format("Global table with name: '{}' does not exist.",
                                                           table_name_of(name_or_arn).value_or(name_or_arn)));
}

}  // namespace

Result<DescribeTableReplicaAutoScalingResponse> describe_table_replica_auto_scaling(
    TableParts&, const DescribeTableReplicaAutoScalingRequest& request, Call&) {
  return no_replicas(request.table_name);
}

Result<UpdateTableReplicaAutoScalingResponse> update_table_replica_auto_scaling(
    TableParts&, const UpdateTableReplicaAutoScalingRequest& request, Call&) {
  return no_replicas(request.table_name);
}

}  // namespace trestle
