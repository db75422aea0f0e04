#include "protocol/backup_members.h"

#include <cmath>

#include "protocol/backup_enumerations.h"
#include "protocol/table_description_json.h"
#include "protocol/table_enumerations.h"

namespace trestle {

Result<int64_t> read_timestamp_ms(JsonElement json) {
  double seconds;
  if (json.get_double().get(seconds) != simdjson::SUCCESS || !(std::abs(seconds) < 1e15)) {
    return serialization_failure(json.is_string() ? "STRING_VALUE cannot be converted to Date"
                                                  : "Value cannot be converted to Date");
  }
  return static_cast<int64_t>(std::llround(seconds * 1000));
}

void constrain_backup_arn(std::optional<std::string_view> given, const MemberPath& member, Constraints& constraints) {
  constraints.length_at_least(given, member, 37);
  constraints.length_at_most(given, member, 1024);
}

Result<std::string> read_backup_arn(JsonInput input) {
  std::optional<std::string_view> arn;
  for (const JsonMember member : input) {
    if (member.name == "BackupArn") {
      TRY_INTO(arn, json_string(member.value));
    }
  }
  Constraints constraints;
  constraints.not_null(arn.has_value(), "backupArn");
  constrain_backup_arn(arn, "backupArn", constraints);
  TRY(constraints.check());
  return std::string(*arn);
}

void constrain_target_table_name(std::optional<std::string_view> given, Constraints& constraints) {
  constraints.not_null(given.has_value(), "targetTableName");
  constraints.name_pattern(given, "targetTableName");
  constraints.length_at_least(given, "targetTableName", 3);
  constraints.length_at_most(given, "targetTableName", 255);
}

Result<bool> read_override(const JsonMember& member, GivenOverrides& given) {
  if (member.name == "BillingModeOverride") {
    TRY_INTO(given.billing_mode, json_string(member.value));
  } else if (member.name == "GlobalSecondaryIndexOverride") {
    TRY_INTO(given.global_indexes, read_indexes(member.value, "GlobalSecondaryIndex"));
  } else if (member.name == "LocalSecondaryIndexOverride") {
    TRY_INTO(given.local_indexes, read_indexes(member.value, "LocalSecondaryIndex"));
  } else if (member.name == "VectorIndexOverride") {
    TRY_INTO(given.vector_indexes, read_vector_indexes(member.value));
  } else if (member.name == "ProvisionedThroughputOverride") {
    TRY_INTO(given.throughput, read_throughput(member.value));
  } else if (member.name == "OnDemandThroughputOverride") {
    TRY_INTO(given.on_demand, read_on_demand(member.value));
  } else if (member.name == "SSESpecificationOverride") {
    TRY_INTO(given.sse, read_sse(member.value));
  } else {
    return false;
  }
  return true;
}

void constrain_overrides(const GivenOverrides& given, Constraints& constraints, RestoreOverrides& out) {
  constraints.one_of(given.billing_mode, "billingModeOverride", kBillingModes, out.billing_mode);
  constrain_indexes(given.global_indexes, "globalSecondaryIndexOverride", true, constraints, out.global_indexes);
  constrain_indexes(given.local_indexes, "localSecondaryIndexOverride", false, constraints, out.local_indexes);
  constrain_vector_indexes(given.vector_indexes, "vectorIndexOverride", constraints, out.vector_indexes);
  constrain_throughput(given.throughput, "provisionedThroughputOverride", constraints, out.throughput);
  out.on_demand = given.on_demand;
  constrain_sse(given.sse, constraints, out.sse, "sSESpecificationOverride");
}

// ---- Writing

namespace {

void write_provisioned_throughput(const Throughput& throughput, JsonOutput& json) {
  json.key("ProvisionedThroughput").begin_object();
  json.member("ReadCapacityUnits", throughput.read_units);
  json.member("WriteCapacityUnits", throughput.write_units);
  json.end_object();
}

void write_limits(const ThroughputLimits& limits, JsonOutput& json) {
  if (limits == ThroughputLimits{}) return;
  json.key("OnDemandThroughput").begin_object();
  if (limits.read_units) json.member("MaxReadRequestUnits", *limits.read_units);
  if (limits.write_units) json.member("MaxWriteRequestUnits", *limits.write_units);
  json.end_object();
}

void write_source_table(const TableDescription& table, JsonOutput& json) {
  json.key("SourceTableDetails").begin_object();
  json.member("TableName", table.name);
  json.member("TableId", table.id);
  json.member("TableArn", table.arn);
  json.member("TableSizeBytes", table.size_bytes);
  write_key_schema(table.key, json);
  json.key("TableCreationDateTime").timestamp_ms(table.created_ms);
  write_provisioned_throughput(table.throughput, json);
  write_limits(table.on_demand, json);
  json.member("ItemCount", table.item_count);
  json.member("BillingMode", choice_name(kBillingModes, table.billing));
  json.end_object();
}

void write_index_infos(std::string_view name, bool global, const TableDescription& table, JsonOutput& json) {
  bool any = false;
  for (const IndexDescription& index : table.indexes) {
    if (index.global != global) continue;
    if (!any) json.key(name).begin_array();
    any = true;
    json.begin_object();
    json.member("IndexName", index.name);
    write_key_schema(index.key, json);
    json.key("Projection").begin_object();
    json.member("ProjectionType", choice_name(kProjectionTypes, index.projection.type));
    if (index.projection.type == ProjectionType::kInclude) {
      json.key("NonKeyAttributes").begin_array();
      for (const auto& attribute : index.projection.non_key_attributes) json.string(attribute);
      json.end_array();
    }
    json.end_object();
    if (global) {
      write_provisioned_throughput(index.throughput, json);
      write_limits(index.on_demand, json);
    }
    json.end_object();
  }
  if (any) json.end_array();
}

// What is not set is left out.
void write_features(const TableDescription& table, JsonOutput& json) {
  json.key("SourceTableFeatureDetails").begin_object();
  write_index_infos("LocalSecondaryIndexes", false, table, json);
  write_index_infos("GlobalSecondaryIndexes", true, table, json);
  write_vector_index_infos(table, json);
  if (table.stream) {
    json.key("StreamDescription").begin_object();
    json.member("StreamEnabled", true);
    json.member("StreamViewType", stream_view_type_name(*table.stream));
    json.end_object();
  }
  if (table.ttl_attribute) {
    json.key("TimeToLiveDescription").begin_object();
    json.member("TimeToLiveStatus", "ENABLED");
    json.member("AttributeName", *table.ttl_attribute);
    json.end_object();
  }
  if (table.sse.enabled.value_or(false)) {
    json.key("SSEDescription").begin_object();
    json.member("Status", "ENABLED");
    json.member("SSEType", table.sse.type);
    json.member("KMSMasterKeyArn", table.sse.key_id);
    json.end_object();
  }
  json.end_object();
}

}  // namespace

void write_backup_members(const BackupDetails& backup, JsonOutput& json) {
  json.member("BackupArn", backup.arn);
  json.member("BackupName", backup.name);
  json.member("BackupSizeBytes", backup.size_bytes);
  json.member("BackupStatus", choice_name(kBackupStatuses, backup.status));
  json.member("BackupType", choice_name(kBackupTypes, backup.type));
  json.key("BackupCreationDateTime").timestamp_ms(backup.created_ms);
  if (backup.expires_ms != 0) json.key("BackupExpiryDateTime").timestamp_ms(backup.expires_ms);
}

void write_backup_response(const BackupDescription& backup, std::string& out) {
  JsonOutput json(out);
  json.begin_object();
  json.key("BackupDescription").begin_object();
  json.key("BackupDetails").begin_object();
  write_backup_members(backup.details, json);
  json.end_object();
  write_source_table(backup.table, json);
  write_features(backup.table, json);
  json.end_object();
  json.end_object();
}

void write_continuous_backups_response(const ContinuousBackupsResponse& response, std::string& out) {
  JsonOutput json(out);
  json.begin_object();
  json.key("ContinuousBackupsDescription").begin_object();
  json.member("ContinuousBackupsStatus", "ENABLED");
  json.key("PointInTimeRecoveryDescription").begin_object();
  json.member("PointInTimeRecoveryStatus", response.enabled ? "ENABLED" : "DISABLED");
  if (response.enabled) {
    json.member("RecoveryPeriodInDays", response.recovery_period_days);
    json.key("EarliestRestorableDateTime").timestamp_ms(response.earliest_restorable_ms);
    json.key("LatestRestorableDateTime").timestamp_ms(response.latest_restorable_ms);
  }
  json.end_object();
  json.end_object();
  json.end_object();
}

}  // namespace trestle
