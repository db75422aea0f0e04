// DescribeBackup and DeleteBackup as JSON: a backup with its source table.
#include "model/shapes/backup_shapes.h"
#include "protocol/shapes/by_hand.h"
#include "protocol/shapes/shape_writer.h"
#include "protocol/tables/table_description_json.h"

namespace trestle {
namespace {

void write_provisioned_throughput(const Throughput& throughput, JsonOutput& json) {
  json.key("ProvisionedThroughput").begin_object();
  json.member("ReadCapacityUnits", throughput.read_units);
  json.member("WriteCapacityUnits", throughput.write_units);
  json.end_object();
}

void write_on_demand_limits(const ThroughputLimits& limits, JsonOutput& json) {
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
  write_on_demand_limits(table.on_demand, json);
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
      write_on_demand_limits(index.on_demand, json);
    }
    json.end_object();
  }
  if (any) json.end_array();
}

// Settings that are not set are omitted.
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

void write_response_by_hand(const BackupResponse& response, std::string& out) {
  const BackupDescription& backup = response.backup;
  JsonOutput json(out);
  json.begin_object();
  json.key("BackupDescription").begin_object();
  json.key("BackupDetails").begin_object();
  write_shape(json, backup.details);
  json.end_object();
  write_source_table(backup.table, json);
  write_features(backup.table, json);
  json.end_object();
  json.end_object();
}

}  // namespace trestle
