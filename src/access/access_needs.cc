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

void on_whole_arn(std::string_view action, std::string_view arn, AccessNeeds& needs) {
  needs.add(action, needs.arn_resource(arn)).set_everything(access_key::kLeadingKeys);
}

// An operation on no particular table.
void on_account(std::string_view action, AccessNeeds& needs) { needs.add(action, needs.resource("table/*")); }

void on_global_table(std::string_view action, std::string_view name, AccessNeeds& needs) {
  needs.add(action, needs.global_table_resource(name));
}

// An operation on a table or on one of its indexes.
void on_index(std::string_view action, const auto& request, AccessNeeds& needs) {
  needs.add(action, needs.table_resource(request.table_name, request.index_name ? "index/" + *request.index_name : ""));
}

// Creating a table with a policy or tags also needs the permissions of PutResourcePolicy or TagResource.
void note_new_table(std::string_view action, const CreateTableRequest& request, AccessNeeds& needs) {
  on_table(action, request.table_name, needs);
  if (request.resource_policy) on_whole_table("PutResourcePolicy", request.table_name, needs);
  if (request.tags && !request.tags->empty()) on_table("TagResource", request.table_name, needs);
}

}  // namespace

// An operation that needs one permission, on the resource that a member of its request names, or on the account.
#define TRESTLE_NEEDS(kind, Name, member) \
  void note_needs(const Name##Request& request, AccessNeeds& needs) { kind(#Name, request.member, needs); }
#define TRESTLE_ACCOUNT_NEEDS(Name) \
  void note_needs(const Name##Request&, AccessNeeds& needs) { on_account(#Name, needs); }

// ---- Tables and their settings.

void note_needs(const CreateTableRequest& request, AccessNeeds& needs) {
  note_new_table("CreateTable", request, needs);
}
TRESTLE_NEEDS(on_table, UpdateTable, table_name)
TRESTLE_NEEDS(on_whole_table, DeleteTable, table_name)
TRESTLE_NEEDS(on_table, DescribeTable, table_name)
TRESTLE_ACCOUNT_NEEDS(ListTables)
TRESTLE_ACCOUNT_NEEDS(DescribeLimits)
TRESTLE_NEEDS(on_whole_table, UpdateTimeToLive, table_name)
TRESTLE_NEEDS(on_table, DescribeTimeToLive, table_name)
TRESTLE_NEEDS(on_arn, TagResource, resource_arn)
TRESTLE_NEEDS(on_arn, UntagResource, resource_arn)
TRESTLE_NEEDS(on_arn, ListTagsOfResource, resource_arn)
TRESTLE_NEEDS(on_whole_arn, PutResourcePolicy, resource_arn)
TRESTLE_NEEDS(on_arn, GetResourcePolicy, resource_arn)
TRESTLE_NEEDS(on_whole_arn, DeleteResourcePolicy, resource_arn)

// ---- Streams.

void note_needs(const ListStreamsRequest& request, AccessNeeds& needs) {
  needs.add("ListStreams", request.table_name ? needs.table_resource(*request.table_name, "stream/*")
                                              : needs.resource("table/*/stream/*"));
}
TRESTLE_NEEDS(on_arn, DescribeStream, stream_arn)
TRESTLE_NEEDS(on_arn, GetShardIterator, stream_arn)
// An invalid iterator belongs to no stream; the operation will reject it.
void note_needs(const GetRecordsRequest& request, AccessNeeds& needs) {
  const auto stream_arn = needs.resources().stream_of(request.shard_iterator);
  needs.add("GetRecords", stream_arn ? needs.arn_resource(*stream_arn) : needs.resource("table/*/stream/*"))
      .set_everything(access_key::kLeadingKeys);
}

// ---- Backups.

TRESTLE_NEEDS(on_whole_table, CreateBackup, table_name)
TRESTLE_NEEDS(on_arn, DescribeBackup, backup_arn)
TRESTLE_NEEDS(on_arn, DeleteBackup, backup_arn)
TRESTLE_ACCOUNT_NEEDS(ListBackups)
void note_needs(const RestoreTableFromBackupRequest& request, AccessNeeds& needs) {
  on_whole_arn("RestoreTableFromBackup", request.backup_arn, needs);
  on_whole_table("RestoreTableFromBackup", request.target_table_name, needs);
}
void note_needs(const RestoreTableToPointInTimeRequest& request, AccessNeeds& needs) {
  if (request.source_table_arn) on_whole_table("RestoreTableToPointInTime", *request.source_table_arn, needs);
  if (request.source_table_name) on_whole_table("RestoreTableToPointInTime", *request.source_table_name, needs);
  on_whole_table("RestoreTableToPointInTime", request.target_table_name, needs);
}
TRESTLE_NEEDS(on_table, UpdateContinuousBackups, table_name)
TRESTLE_NEEDS(on_table, DescribeContinuousBackups, table_name)

// ---- Exports, imports, bulk operations.

TRESTLE_NEEDS(on_whole_table, ExportTableToPointInTime, table_arn)
TRESTLE_NEEDS(on_arn, DescribeExport, export_arn)
TRESTLE_ACCOUNT_NEEDS(ListExports)
void note_needs(const ImportTableRequest& request, AccessNeeds& needs) {
  note_new_table("ImportTable", request.table, needs);
}
TRESTLE_NEEDS(on_arn, DescribeImport, import_arn)
TRESTLE_ACCOUNT_NEEDS(ListImports)
TRESTLE_NEEDS(on_whole_table, StartBulkPutItems, table_name)
TRESTLE_NEEDS(on_arn, DescribeBulkOperation, arn)
TRESTLE_NEEDS(on_arn, CancelBulkOperation, arn)
TRESTLE_ACCOUNT_NEEDS(ListBulkOperations)

// ---- Contributor Insights, global tables, Kinesis, auto scaling.

void note_needs(const UpdateContributorInsightsRequest& request, AccessNeeds& needs) {
  on_index("UpdateContributorInsights", request, needs);
}
void note_needs(const DescribeContributorInsightsRequest& request, AccessNeeds& needs) {
  on_index("DescribeContributorInsights", request, needs);
}
TRESTLE_ACCOUNT_NEEDS(ListContributorInsights)
TRESTLE_NEEDS(on_global_table, CreateGlobalTable, global_table_name)
TRESTLE_NEEDS(on_global_table, UpdateGlobalTable, global_table_name)
TRESTLE_NEEDS(on_global_table, DescribeGlobalTable, global_table_name)
TRESTLE_NEEDS(on_global_table, DescribeGlobalTableSettings, global_table_name)
TRESTLE_NEEDS(on_global_table, UpdateGlobalTableSettings, global_table_name)
TRESTLE_ACCOUNT_NEEDS(ListGlobalTables)
TRESTLE_NEEDS(on_whole_table, EnableKinesisStreamingDestination, table_name)
TRESTLE_NEEDS(on_table, DisableKinesisStreamingDestination, table_name)
TRESTLE_NEEDS(on_table, UpdateKinesisStreamingDestination, table_name)
TRESTLE_NEEDS(on_table, DescribeKinesisStreamingDestination, table_name)
TRESTLE_NEEDS(on_table, DescribeTableReplicaAutoScaling, table_name)
TRESTLE_NEEDS(on_table, UpdateTableReplicaAutoScaling, table_name)

#undef TRESTLE_NEEDS
#undef TRESTLE_ACCOUNT_NEEDS

}  // namespace trestle
