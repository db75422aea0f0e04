// DynamoDB's operations on tables.
#pragma once

#include "engine/parts.h"
#include "model/database.h"

namespace trestle {

Result<CreateGlobalTableResponse> create_global_table(TableParts& parts, const CreateGlobalTableRequest& request,
                                                      Call& call);
Result<CreateTableResponse> create_table(ItemParts& parts, const CreateTableRequest& request, Call& call);
Result<DeleteResourcePolicyResponse> delete_resource_policy(TableParts& parts,
                                                            const DeleteResourcePolicyRequest& request, Call& call);
Result<DeleteTableResponse> delete_table(EngineParts& parts, const DeleteTableRequest& request, Call& call);
Result<DescribeGlobalTableResponse> describe_global_table(TableParts& parts, const DescribeGlobalTableRequest& request,
                                                          Call& call);
Result<DescribeGlobalTableSettingsResponse> describe_global_table_settings(
    TableParts& parts, const DescribeGlobalTableSettingsRequest& request, Call& call);
Result<DescribeKinesisStreamingDestinationResponse> describe_kinesis_streaming_destination(
    TableParts& parts, const DescribeKinesisStreamingDestinationRequest& request, Call& call);
Result<DescribeLimitsResponse> describe_limits(TableParts& parts, const DescribeLimitsRequest& request, Call& call);
Result<DescribeTableResponse> describe_table(TableParts& parts, const DescribeTableRequest& request, Call& call);
Result<DescribeTableReplicaAutoScalingResponse> describe_table_replica_auto_scaling(
    TableParts& parts, const DescribeTableReplicaAutoScalingRequest& request, Call& call);
Result<DisableKinesisStreamingDestinationResponse> disable_kinesis_streaming_destination(
    TableParts& parts, const DisableKinesisStreamingDestinationRequest& request, Call& call);
Result<EnableKinesisStreamingDestinationResponse> enable_kinesis_streaming_destination(
    TableParts& parts, const EnableKinesisStreamingDestinationRequest& request, Call& call);
Result<GetResourcePolicyResponse> get_resource_policy(TableParts& parts, const GetResourcePolicyRequest& request,
                                                      Call& call);
Result<ListGlobalTablesResponse> list_global_tables(TableParts& parts, const ListGlobalTablesRequest& request,
                                                    Call& call);
Result<ListTablesResponse> list_tables(TableParts& parts, const ListTablesRequest& request, Call& call);
Result<ListTagsOfResourceResponse> list_tags_of_resource(TableParts& parts, const ListTagsOfResourceRequest& request,
                                                         Call& call);
Result<PutResourcePolicyResponse> put_resource_policy(TableParts& parts, const PutResourcePolicyRequest& request,
                                                      Call& call);
Result<TagResourceResponse> tag_resource(TableParts& parts, const TagResourceRequest& request, Call& call);
Result<UntagResourceResponse> untag_resource(TableParts& parts, const UntagResourceRequest& request, Call& call);
Result<UpdateGlobalTableResponse> update_global_table(TableParts& parts, const UpdateGlobalTableRequest& request,
                                                      Call& call);
Result<UpdateGlobalTableSettingsResponse> update_global_table_settings(TableParts& parts,
                                                                       const UpdateGlobalTableSettingsRequest& request,
                                                                       Call& call);
Result<UpdateKinesisStreamingDestinationResponse> update_kinesis_streaming_destination(
    TableParts& parts, const UpdateKinesisStreamingDestinationRequest& request, Call& call);
Result<UpdateTableResponse> update_table(EngineParts& parts, const UpdateTableRequest& request, Call& call);
Result<UpdateTableReplicaAutoScalingResponse> update_table_replica_auto_scaling(
    TableParts& parts, const UpdateTableReplicaAutoScalingRequest& request, Call& call);

}  // namespace trestle
