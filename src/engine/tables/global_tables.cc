// The operations on global tables. Like DynamoDB, which no longer creates global tables of this version (2017.11.29),
// Trestle has none and rejects these requests with DynamoDB's messages. Tables never have replicas here, so the
// operations on the scaling of replicas are rejected too.
#include <fmt/format.h>

#include <algorithm>

#include "engine/tables/table_operations.h"

namespace trestle {
namespace {

std::unexpected<Error> version_not_supported() {
  return invalid(
      "One or more parameter values were invalid: DynamoDB global tables version 2017.11.29 is not supported. We "
      "recommend using DynamoDB global tables version 2019.11.21, instead of version 2017.11.29 (Legacy).");
}

std::unexpected<Error> not_found(ErrorCode code, std::string_view name) {
  return failure(code, fmt::format("Global table with name: '{}' does not exist.", name));
}

std::unexpected<Error> global_table_not_found(const std::string& name) {
  return not_found(ErrorCode::kGlobalTableNotFound, name);
}

// DynamoDB returns the same error for a table without replicas and for a table that does not exist.
std::unexpected<Error> no_replicas(const std::string& name_or_arn) {
  return not_found(ErrorCode::kResourceNotFound, table_name_of(name_or_arn).value_or(name_or_arn));
}

}  // namespace

Result<CreateGlobalTableResponse> create_global_table(TableParts&, const CreateGlobalTableRequest&, Call&) {
  return version_not_supported();
}

Result<UpdateGlobalTableResponse> update_global_table(TableParts&, const UpdateGlobalTableRequest& request, Call&) {
  if (std::ranges::any_of(request.replica_updates,
                          [](const auto& update) { return !update.created_region && !update.deleted_region; })) {
    return invalid("One or more parameter values were invalid");
  }
  if (std::ranges::any_of(request.replica_updates,
                          [](const auto& update) { return update.created_region.has_value(); })) {
    return version_not_supported();
  }
  return global_table_not_found(request.global_table_name);
}

Result<DescribeGlobalTableResponse> describe_global_table(TableParts&, const DescribeGlobalTableRequest& request,
                                                          Call&) {
  return global_table_not_found(request.global_table_name);
}

Result<ListGlobalTablesResponse> list_global_tables(TableParts&, const ListGlobalTablesRequest&, Call&) {
  return ListGlobalTablesResponse{};
}

Result<UpdateGlobalTableSettingsResponse> update_global_table_settings(TableParts&,
                                                                       const UpdateGlobalTableSettingsRequest& request,
                                                                       Call&) {
  return global_table_not_found(request.global_table_name);
}

Result<DescribeGlobalTableSettingsResponse> describe_global_table_settings(
    TableParts&, const DescribeGlobalTableSettingsRequest& request, Call&) {
  return global_table_not_found(request.global_table_name);
}

Result<DescribeTableReplicaAutoScalingResponse> describe_table_replica_auto_scaling(
    TableParts&, const DescribeTableReplicaAutoScalingRequest& request, Call&) {
  return no_replicas(request.table_name);
}

Result<UpdateTableReplicaAutoScalingResponse> update_table_replica_auto_scaling(
    TableParts&, const UpdateTableReplicaAutoScalingRequest& request, Call&) {
  return no_replicas(request.table_name);
}

}  // namespace trestle
