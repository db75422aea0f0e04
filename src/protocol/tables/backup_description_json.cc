// DescribeBackup and DeleteBackup as JSON: a backup with its source table.
#include "model/shapes/backup_shapes.h"
#include "model/shapes/description_shapes.h"
#include "protocol/shapes/by_hand.h"
#include "protocol/shapes/particular_values.h"
#include "protocol/shapes/shape_writer.h"
#include "protocol/tables/table_description_json.h"

namespace trestle {
namespace {

void write_index_infos(std::string_view name, bool global, const TableDescription& table, JsonOutput& json) {
  bool any = false;
  for (const IndexDescription& index : table.indexes) {
    if (index.global != global) continue;
    if (!any) json.key(name).begin_array();
    any = true;
    json.begin_object();
    if (global) {
      write_shape<IndexDescription, GlobalIndexInfo>(json, index);
    } else {
      write_shape<IndexDescription, IndexParameters>(json, index);
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
  if (!table.vector_indexes.empty())
    write_member(json, "VectorIndexes", table.vector_indexes, ShapeRules::as<VectorIndexInfo>);
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
  write_member(json, "BackupDetails", backup.details);
  write_member(json, "SourceTableDetails", backup.table, ShapeRules::as<SourceTable>);
  write_features(backup.table, json);
  json.end_object();
  json.end_object();
}

}  // namespace trestle
