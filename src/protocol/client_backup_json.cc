// Backups and restores in the client's direction.
#include "protocol/backup_enumerations.h"
#include "protocol/client_input.h"
#include "protocol/client_json.h"
#include "protocol/client_output.h"
#include "protocol/client_table_members.h"
#include "protocol/table_enumerations.h"

namespace trestle {
namespace {

auto into_timestamp(std::string_view name, int64_t& ms) {
  return into(name, [&ms](JsonElement json) { return take_timestamp_ms(json, ms); });
}

auto into_units(Throughput& throughput) {
  return into("ProvisionedThroughput", [&throughput](JsonElement json) {
    return take_members(json, into("ReadCapacityUnits", throughput.read_units),
                        into("WriteCapacityUnits", throughput.write_units));
  });
}

auto into_limits(ThroughputLimits& limits) {
  return into("OnDemandThroughput", [&limits](JsonElement json) {
    return take_members(json, into("MaxReadRequestUnits", limits.read_units),
                        into("MaxWriteRequestUnits", limits.write_units));
  });
}

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
                      into_limits(table.on_demand), into("ItemCount", table.item_count),
                      into("BillingMode", table.billing, kBillingModes));
}

auto into_indexes(std::string_view name, bool global, std::vector<IndexDescription>& out) {
  return into(name, [&out, global](JsonElement json) -> Result<void> {
    TRY_INTO(const JsonArray array, json_list(json));
    for (const JsonElement element : array) {
      IndexDescription& index = out.emplace_back();
      index.global = global;
      const auto take_projection = [&](JsonElement projection) {
        return take_members(projection, into("ProjectionType", index.projection.type, kProjectionTypes),
                            into("NonKeyAttributes", index.projection.non_key_attributes));
      };
      TRY(take_members(element, into("IndexName", index.name), into("KeySchema", index.key),
                       into("Projection", take_projection), into_units(index.throughput),
                       into_limits(index.on_demand)));
    }
    return {};
  });
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
                   into_indexes("GlobalSecondaryIndexes", true, global_indexes), into("StreamDescription", take_stream),
                   into("TimeToLiveDescription", take_time_to_live), into("SSEDescription", take_sse)));
  table.indexes.insert(table.indexes.end(), std::make_move_iterator(global_indexes.begin()),
                       std::make_move_iterator(global_indexes.end()));
  return {};
}

void put_key_schema(JsonOutput& json, const std::vector<KeySchemaElement>& key) {
  put_list(json, "KeySchema", key, [](JsonOutput& element, const KeySchemaElement& part) {
    put(element, "AttributeName", part.attribute_name);
    put_choice(element, "KeyType", part.is_range, kKeyTypes);
  });
}

void put_units(JsonOutput& json, std::string_view name, const std::optional<Throughput>& throughput) {
  if (!throughput) return;
  json.key(name).begin_object();
  put(json, "ReadCapacityUnits", throughput->read_units);
  put(json, "WriteCapacityUnits", throughput->write_units);
  json.end_object();
}

void put_limits(JsonOutput& json, std::string_view name, const std::optional<ThroughputLimits>& limits) {
  if (!limits) return;
  json.key(name).begin_object();
  put(json, "MaxReadRequestUnits", limits->read_units);
  put(json, "MaxWriteRequestUnits", limits->write_units);
  json.end_object();
}

void put_index(JsonOutput& json, const IndexDefinition& index) {
  put(json, "IndexName", index.index_name);
  put_key_schema(json, index.key_schema);
  json.key("Projection").begin_object();
  put_choice(json, "ProjectionType", index.projection_type, kProjectionTypes);
  put(json, "NonKeyAttributes", index.non_key_attributes);
  json.end_object();
  put_units(json, "ProvisionedThroughput", index.throughput);
  put_limits(json, "OnDemandThroughput", index.on_demand);
}

void put_overrides(JsonOutput& json, const RestoreOverrides& overrides) {
  put_choice(json, "BillingModeOverride", overrides.billing_mode, kBillingModes);
  if (overrides.global_indexes) {
    put_list(json, "GlobalSecondaryIndexOverride", *overrides.global_indexes, put_index);
  }
  if (overrides.local_indexes) put_list(json, "LocalSecondaryIndexOverride", *overrides.local_indexes, put_index);
  put_units(json, "ProvisionedThroughputOverride", overrides.throughput);
  put_limits(json, "OnDemandThroughputOverride", overrides.on_demand);
  if (!overrides.sse) return;
  json.key("SSESpecificationOverride").begin_object();
  put(json, "Enabled", overrides.sse->enabled);
  if (!overrides.sse->type.empty()) put(json, "SSEType", overrides.sse->type);
  if (!overrides.sse->key_id.empty()) put(json, "KMSMasterKeyId", overrides.sse->key_id);
  json.end_object();
}

void put_timestamp(JsonOutput& json, std::string_view name, const std::optional<int64_t>& ms) {
  if (ms) json.key(name).timestamp_ms(*ms);
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
  JsonOutput json(out);
  json.begin_object();
  put(json, "BackupArn", request.backup_arn);
  json.end_object();
}

void write_request_json(const DeleteBackupRequest& request, std::string& out) {
  JsonOutput json(out);
  json.begin_object();
  put(json, "BackupArn", request.backup_arn);
  json.end_object();
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
  JsonOutput json(out);
  json.begin_object();
  put(json, "TableName", request.table_name);
  json.end_object();
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
