// The permissions needed by operations other than those on items: tables, settings, streams, backups, exports etc.
#include "access/access_needs.h"

#include <fmt/format.h>

namespace trestle {

AccessContext& AccessNeeds::add(std::string_view action, std::string resource) {
  return list_
      .emplace_back(Access{.action = fmt::format("dynamodb:{}", action),
                           .resource = std::move(resource),
                           .context = AccessContext(scope_.rest)})
      .context;
}

std::string AccessNeeds::resource(std::string_view relative_id) const {
  return fmt::format("arn:aws:dynamodb:{}:{}:{}", scope_.region, scope_.account, relative_id);
}

std::string AccessNeeds::global_table_resource(std::string_view name) const {
  return fmt::format("arn:aws:dynamodb::{}:global-table/{}", scope_.account, name);
}

std::string AccessNeeds::table_resource(std::string_view name_or_arn, std::string_view below) const {
  const std::string_view name = table_name_of(name_or_arn).value_or(name_or_arn);
  return resource(below.empty() ? fmt::format("table/{}", name) : fmt::format("table/{}/{}", name, below));
}

std::string AccessNeeds::arn_resource(std::string_view arn) const {
  std::string_view rest = arn;
  for (int part = 0; part < 5; ++part) {
    const size_t colon = rest.find(':');
    if (colon == std::string_view::npos) return table_resource(arn);
    rest.remove_prefix(colon + 1);
  }
  return resource(rest);
}

std::shared_ptr<const KeySchema> AccessNeeds::find_key(std::string_view name_or_arn,
                                                       const std::optional<std::string>& index_name) const {
  const auto name = table_name_of(name_or_arn);
  return name ? scope_.resources.key(*name, index_name) : nullptr;
}

namespace {

// An operation on one table that does not touch its items.
void on_table(std::string_view action, std::string_view name_or_arn, AccessNeeds& needs) {
  needs.add(action, needs.table_resource(name_or_arn));
}

// An operation that affects all items, or decides who may access them.
void on_whole_table(std::string_view action, std::string_view name_or_arn, AccessNeeds& needs) {
  needs.add(action, needs.table_resource(name_or_arn)).set_everything(access_key::kLeadingKeys);
}

void on_arn(std::string_view action, std::string_view arn, AccessNeeds& needs) {
  needs.add(action, needs.arn_resource(arn));
}

// An operation on no particular table.
void on_account(std::string_view action, AccessNeeds& needs) { needs.add(action, needs.resource("table/*")); }

void on_global_table(std::string_view action, std::string_view name, AccessNeeds& needs) {
  needs.add(action, needs.global_table_resource(name));
}

// Creating a table with a policy or tags also needs the permissions of PutResourcePolicy or TagResource.
void note_new_table(std::string_view action, const CreateTableRequest& request, AccessNeeds& needs) {
  on_table(action, request.table_name, needs);
  if (request.resource_policy) on_whole_table("PutResourcePolicy", request.table_name, needs);
  if (request.tags && !request.tags->empty()) on_table("TagResource", request.table_name, needs);
}

}  // namespace

// ---- Tables and their settings.

void note_needs(const CreateTableRequest& request, AccessNeeds& needs) {
  note_new_table("CreateTable", request, needs);
}
void note_needs(const UpdateTableRequest& request, AccessNeeds& needs) {
  on_table("UpdateTable", request.table_name, needs);
}
void note_needs(const DeleteTableRequest& request, AccessNeeds& needs) {
  on_whole_table("DeleteTable", request.table_name, needs);
}
void note_needs(const DescribeTableRequest& request, AccessNeeds& needs) {
  on_table("DescribeTable", request.table_name, needs);
}
void note_needs(const ListTablesRequest&, AccessNeeds& needs) { on_account("ListTables", needs); }
void note_needs(const DescribeLimitsRequest&, AccessNeeds& needs) { on_account("DescribeLimits", needs); }
void note_needs(const UpdateTimeToLiveRequest& request, AccessNeeds& needs) {
  on_whole_table("UpdateTimeToLive", request.table_name, needs);
}
void note_needs(const DescribeTimeToLiveRequest& request, AccessNeeds& needs) {
  on_table("DescribeTimeToLive", request.table_name, needs);
}
void note_needs(const TagResourceRequest& request, AccessNeeds& needs) {
  on_arn("TagResource", request.resource_arn, needs);
}
void note_needs(const UntagResourceRequest& request, AccessNeeds& needs) {
  on_arn("UntagResource", request.resource_arn, needs);
}
void note_needs(const ListTagsOfResourceRequest& request, AccessNeeds& needs) {
  on_arn("ListTagsOfResource", request.resource_arn, needs);
}
void note_needs(const PutResourcePolicyRequest& request, AccessNeeds& needs) {
  needs.add("PutResourcePolicy", needs.arn_resource(request.resource_arn)).set_everything(access_key::kLeadingKeys);
}
void note_needs(const GetResourcePolicyRequest& request, AccessNeeds& needs) {
  on_arn("GetResourcePolicy", request.resource_arn, needs);
}
void note_needs(const DeleteResourcePolicyRequest& request, AccessNeeds& needs) {
  needs.add("DeleteResourcePolicy", needs.arn_resource(request.resource_arn)).set_everything(access_key::kLeadingKeys);
}

// ---- Streams.

void note_needs(const ListStreamsRequest& request, AccessNeeds& needs) {
  needs.add("ListStreams", request.table_name ? needs.table_resource(*request.table_name, "stream/*")
                                              : needs.resource("table/*/stream/*"));
}
void note_needs(const DescribeStreamRequest& request, AccessNeeds& needs) {
  on_arn("DescribeStream", request.stream_arn, needs);
}
void note_needs(const GetShardIteratorRequest& request, AccessNeeds& needs) {
  on_arn("GetShardIterator", request.stream_arn, needs);
}
// An invalid iterator belongs to no stream; the operation will reject it.
void note_needs(const GetRecordsRequest& request, AccessNeeds& needs) {
  const auto stream_arn = needs.resources().stream_of(request.shard_iterator);
  needs.add("GetRecords", stream_arn ? needs.arn_resource(*stream_arn) : needs.resource("table/*/stream/*"))
      .set_everything(access_key::kLeadingKeys);
}

// ---- Backups.

void note_needs(const CreateBackupRequest& request, AccessNeeds& needs) {
  on_whole_table("CreateBackup", request.table_name, needs);
}
void note_needs(const DescribeBackupRequest& request, AccessNeeds& needs) {
  on_arn("DescribeBackup", request.backup_arn, needs);
}
void note_needs(const DeleteBackupRequest& request, AccessNeeds& needs) {
  on_arn("DeleteBackup", request.backup_arn, needs);
}
void note_needs(const ListBackupsRequest&, AccessNeeds& needs) { on_account("ListBackups", needs); }
void note_needs(const RestoreTableFromBackupRequest& request, AccessNeeds& needs) {
  needs.add("RestoreTableFromBackup", needs.arn_resource(request.backup_arn)).set_everything(access_key::kLeadingKeys);
  on_whole_table("RestoreTableFromBackup", request.target_table_name, needs);
}
void note_needs(const RestoreTableToPointInTimeRequest& request, AccessNeeds& needs) {
  if (request.source_table_arn) on_whole_table("RestoreTableToPointInTime", *request.source_table_arn, needs);
  if (request.source_table_name) on_whole_table("RestoreTableToPointInTime", *request.source_table_name, needs);
  on_whole_table("RestoreTableToPointInTime", request.target_table_name, needs);
}
void note_needs(const UpdateContinuousBackupsRequest& request, AccessNeeds& needs) {
  on_table("UpdateContinuousBackups", request.table_name, needs);
}
void note_needs(const DescribeContinuousBackupsRequest& request, AccessNeeds& needs) {
  on_table("DescribeContinuousBackups", request.table_name, needs);
}

// ---- Exports, imports, bulk operations.

void note_needs(const ExportTableToPointInTimeRequest& request, AccessNeeds& needs) {
  on_whole_table("ExportTableToPointInTime", request.table_arn, needs);
}
void note_needs(const DescribeExportRequest& request, AccessNeeds& needs) {
  on_arn("DescribeExport", request.export_arn, needs);
}
void note_needs(const ListExportsRequest&, AccessNeeds& needs) { on_account("ListExports", needs); }
void note_needs(const ImportTableRequest& request, AccessNeeds& needs) {
  note_new_table("ImportTable", request.table, needs);
}
void note_needs(const DescribeImportRequest& request, AccessNeeds& needs) {
  on_arn("DescribeImport", request.import_arn, needs);
}
void note_needs(const ListImportsRequest&, AccessNeeds& needs) { on_account("ListImports", needs); }
void note_needs(const StartBulkPutItemsRequest& request, AccessNeeds& needs) {
  on_whole_table("StartBulkPutItems", request.table_name, needs);
}
void note_needs(const DescribeBulkOperationRequest& request, AccessNeeds& needs) {
  on_arn("DescribeBulkOperation", request.arn, needs);
}
void note_needs(const CancelBulkOperationRequest& request, AccessNeeds& needs) {
  on_arn("CancelBulkOperation", request.arn, needs);
}
void note_needs(const ListBulkOperationsRequest&, AccessNeeds& needs) { on_account("ListBulkOperations", needs); }

// ---- Contributor Insights, global tables, Kinesis, auto scaling.

void note_needs(const UpdateContributorInsightsRequest& request, AccessNeeds& needs) {
  needs.add("UpdateContributorInsights", request.index_name
                                             ? needs.table_resource(request.table_name, "index/" + *request.index_name)
                                             : needs.table_resource(request.table_name));
}
void note_needs(const DescribeContributorInsightsRequest& request, AccessNeeds& needs) {
  needs.add("DescribeContributorInsights",
            request.index_name ? needs.table_resource(request.table_name, "index/" + *request.index_name)
                               : needs.table_resource(request.table_name));
}
void note_needs(const ListContributorInsightsRequest&, AccessNeeds& needs) {
  on_account("ListContributorInsights", needs);
}
void note_needs(const CreateGlobalTableRequest& request, AccessNeeds& needs) {
  on_global_table("CreateGlobalTable", request.global_table_name, needs);
}
void note_needs(const UpdateGlobalTableRequest& request, AccessNeeds& needs) {
  on_global_table("UpdateGlobalTable", request.global_table_name, needs);
}
void note_needs(const DescribeGlobalTableRequest& request, AccessNeeds& needs) {
  on_global_table("DescribeGlobalTable", request.global_table_name, needs);
}
void note_needs(const DescribeGlobalTableSettingsRequest& request, AccessNeeds& needs) {
  on_global_table("DescribeGlobalTableSettings", request.global_table_name, needs);
}
void note_needs(const UpdateGlobalTableSettingsRequest& request, AccessNeeds& needs) {
  on_global_table("UpdateGlobalTableSettings", request.global_table_name, needs);
}
void note_needs(const ListGlobalTablesRequest&, AccessNeeds& needs) { on_account("ListGlobalTables", needs); }
void note_needs(const EnableKinesisStreamingDestinationRequest& request, AccessNeeds& needs) {
  on_whole_table("EnableKinesisStreamingDestination", request.table_name, needs);
}
void note_needs(const DisableKinesisStreamingDestinationRequest& request, AccessNeeds& needs) {
  on_table("DisableKinesisStreamingDestination", request.table_name, needs);
}
void note_needs(const UpdateKinesisStreamingDestinationRequest& request, AccessNeeds& needs) {
  on_table("UpdateKinesisStreamingDestination", request.table_name, needs);
}
void note_needs(const DescribeKinesisStreamingDestinationRequest& request, AccessNeeds& needs) {
  on_table("DescribeKinesisStreamingDestination", request.table_name, needs);
}
void note_needs(const DescribeTableReplicaAutoScalingRequest& request, AccessNeeds& needs) {
  on_table("DescribeTableReplicaAutoScaling", request.table_name, needs);
}
void note_needs(const UpdateTableReplicaAutoScalingRequest& request, AccessNeeds& needs) {
  on_table("UpdateTableReplicaAutoScaling", request.table_name, needs);
}

}  // namespace trestle
