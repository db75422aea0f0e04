// DescribeBackup and DeleteBackup as JSON: a backup with its source table.
#include "model/shapes/backup_shapes.h"
#include "model/shapes/description_shapes.h"
#include "protocol/shapes/by_hand.h"
#include "protocol/shapes/particular_values.h"
#include "protocol/shapes/shape_writer.h"
#include "protocol/tables/table_description_json.h"

namespace trestle {
namespace {

// Settings that are not set are omitted.
void write_features(const TableDescription& table, JsonOutput& json) {
  json.key("SourceTableFeatureDetails").begin_object();
  write_indexes("LocalSecondaryIndexes", false, table, json,
                [&](const IndexDescription& index) { write_shape<IndexDescription, IndexParameters>(json, index); });
  write_indexes("GlobalSecondaryIndexes", true, table, json,
                [&](const IndexDescription& index) { write_shape<IndexDescription, GlobalIndexInfo>(json, index); });
  if (!table.vector_indexes.empty())
    write_member(json, "VectorIndexes", table.vector_indexes, ShapeRules::as<VectorIndexInfo>);
  if (table.stream) write_member(json, "StreamDescription", table, ShapeRules::as<StreamDescriptionShape>);
  if (table.ttl_attribute) write_member(json, "TimeToLiveDescription", table, ShapeRules::as<TimeToLiveDescription>);
  write_sse_description(table.sse, json);
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
