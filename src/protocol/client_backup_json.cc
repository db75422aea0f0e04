// Backups and restores in the client's direction.
#include "protocol/backup_enumerations.h"
#include "protocol/client_input.h"
#include "protocol/client_json.h"
#include "protocol/client_output.h"
#include "protocol/client_table_members.h"
#include "protocol/client_vector_members.h"
#include "protocol/table_enumerations.h"

namespace trestle {
namespace {

// What BackupDetails and BackupSummary share.
template <class... More>
Result<void> take_details(JsonElement json, BackupDetails& backup, More... more) {
  return take_members(json, into("BackupArn", backup.arn), into("BackupName", backup.name),
                      into("BackupSizeBytes", backup.size_bytes), into("BackupStatus", backup.status, kBackupStatuses),
                      into("BackupType", backup.type, kBackupTypes),
                      into_timestamp("BackupCreationDateTime", backup.created_ms),
                      into_timestamp("BackupExpiryDateTime", backup.expires_ms), more...);
}

Result<void> take_source_table(JsonElement json, TableDescription& table) {
  return take_members(json, into("TableName", table.name), into("TableId", table.id), into("TableArn", table.arn),
                      into("TableSizeBytes", table.size_bytes), into("KeySchema", table.key),
                      into_timestamp("TableCreationDateTime", table.created_ms), into_units(table.throughput),
                      into_on_demand(table.on_demand), into("ItemCount", table.item_count),
                      into("BillingMode", table.billing, kBillingModes));
}

Result<void> take_features(JsonElement json, TableDescription& table) {
  std::vector<IndexDescription> global_indexes;
  const auto take_stream = [&](JsonElement stream) {
    return take_members(stream, into("StreamViewType", table.stream.emplace(), kStreamViewTypes));
  };
  const auto take_time_to_live = [&](JsonElement setting) {
    return take_members(setting, into("AttributeName", table.ttl_attribute));
  };
  const auto take_sse = [&](JsonElement sse) {
    table.sse.enabled = true;
    return take_members(sse, into("SSEType", table.sse.type), into("KMSMasterKeyArn", table.sse.key_id));
  };
  TRY(take_members(json, into_indexes("LocalSecondaryIndexes", false, table.indexes),
                   into_indexes("GlobalSecondaryIndexes", true, global_indexes),
                   into("VectorIndexes", table.vector_indexes), into("StreamDescription", take_stream),
                   into("TimeToLiveDescription", take_time_to_live), into("SSEDescription", take_sse)));
  table.indexes.insert(table.indexes.end(), std::make_move_iterator(global_indexes.begin()),
                       std::make_move_iterator(global_indexes.end()));
  return {};
}

void put_overrides(JsonOutput& json, const RestoreOverrides& overrides) {
  put_choice(json, "BillingModeOverride", overrides.billing_mode, kBillingModes);
  if (overrides.global_indexes) {
    put_list(json, "GlobalSecondaryIndexOverride", *overrides.global_indexes, put_index);
  }
  if (overrides.local_indexes) put_list(json, "LocalSecondaryIndexOverride", *overrides.local_indexes, put_index);
  if (overrides.vector_indexes) put_list(json, "VectorIndexOverride", *overrides.vector_indexes, put_vector_index);
  put_units(json, "ProvisionedThroughputOverride", overrides.throughput);
  put_on_demand(json, "OnDemandThroughputOverride", overrides.on_demand);
  put_sse(json, "SSESpecificationOverride", overrides.sse);
}

}  // namespace

Result<void> take(JsonElement json, BackupSummary& backup) {
  return take_details(json, backup.details, into("TableName", backup.table_name), into("TableId", backup.table_id),
                      into("TableArn", backup.table_arn));
}

void write_request_json(const CreateBackupRequest& request, std::string& out) {
  JsonOutput json(out);
  json.begin_object();
  put(json, "TableName", request.table_name);
  put(json, "BackupName", request.backup_name);
  json.end_object();
}

void write_request_json(const DescribeBackupRequest& request, std::string& out) {
  write_only_member("BackupArn", request.backup_arn, out);
}

void write_request_json(const DeleteBackupRequest& request, std::string& out) {
  write_only_member("BackupArn", request.backup_arn, out);
}

void write_request_json(const ListBackupsRequest& request, std::string& out) {
  JsonOutput json(out);
  json.begin_object();
  put(json, "TableName", request.table_name);
  put(json, "Limit", request.limit);
  put_timestamp(json, "TimeRangeLowerBound", request.lower_bound_ms);
  put_timestamp(json, "TimeRangeUpperBound", request.upper_bound_ms);
  put(json, "ExclusiveStartBackupArn", request.exclusive_start_backup_arn);
  put_choice(json, "BackupType", request.type, kBackupTypeFilters);
  json.end_object();
}

void write_request_json(const RestoreTableFromBackupRequest& request, std::string& out) {
  JsonOutput json(out);
  json.begin_object();
  put(json, "TargetTableName", request.target_table_name);
  put(json, "BackupArn", request.backup_arn);
  put_overrides(json, request.overrides);
  json.end_object();
}

void write_request_json(const RestoreTableToPointInTimeRequest& request, std::string& out) {
  JsonOutput json(out);
  json.begin_object();
  put(json, "SourceTableArn", request.source_table_arn);
  put(json, "SourceTableName", request.source_table_name);
  put(json, "TargetTableName", request.target_table_name);
  put(json, "UseLatestRestorableTime", request.use_latest_restorable_time);
  put_timestamp(json, "RestoreDateTime", request.restore_ms);
  put_overrides(json, request.overrides);
  json.end_object();
}

void write_request_json(const UpdateContinuousBackupsRequest& request, std::string& out) {
  JsonOutput json(out);
  json.begin_object();
  put(json, "TableName", request.table_name);
  json.key("PointInTimeRecoverySpecification").begin_object();
  put(json, "PointInTimeRecoveryEnabled", request.enabled);
  put(json, "RecoveryPeriodInDays", request.recovery_period_days);
  json.end_object();
  json.end_object();
}

void write_request_json(const DescribeContinuousBackupsRequest& request, std::string& out) {
  write_only_member("TableName", request.table_name, out);
}

Result<void> read_response_json(JsonInput input, CreateBackupResponse& response) {
  return take_members(input,
                      into("BackupDetails", [&](JsonElement json) { return take_details(json, response.backup); }));
}

Result<void> read_response_json(JsonInput input, BackupResponse& response) {
  BackupDescription& backup = response.backup;
  return take_members(
      input, into("BackupDescription", [&](JsonElement json) {
        return take_members(
            json, into("BackupDetails", [&](JsonElement details) { return take_details(details, backup.details); }),
            into("SourceTableDetails", [&](JsonElement table) { return take_source_table(table, backup.table); }),
            into("SourceTableFeatureDetails",
                 [&](JsonElement features) { return take_features(features, backup.table); }));
      }));
}

Result<void> read_response_json(JsonInput input, ListBackupsResponse& response) {
  return take_members(input, into("BackupSummaries", response.backups),
                      into("LastEvaluatedBackupArn", response.last_evaluated_backup_arn));
}

Result<void> read_response_json(JsonInput input, ContinuousBackupsResponse& response) {
  const auto take_status = [&](JsonElement json) -> Result<void> {
    TRY_INTO(const std::string_view status, json_string(json));
    response.enabled = status == "ENABLED";
    return {};
  };
  const auto take_recovery = [&](JsonElement json) {
    return take_members(json, into("PointInTimeRecoveryStatus", take_status),
                        into("RecoveryPeriodInDays", response.recovery_period_days),
                        into_timestamp("EarliestRestorableDateTime", response.earliest_restorable_ms),
                        into_timestamp("LatestRestorableDateTime", response.latest_restorable_ms));
  };
  return take_members(input, into("ContinuousBackupsDescription", [&](JsonElement json) {
                        return take_members(json, into("PointInTimeRecoveryDescription", take_recovery));
                      }));
}

}  // namespace trestle
