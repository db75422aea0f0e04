// DescribeBackup and DeleteBackup on the client.
#include "model/shapes/description_shapes.h"
#include "protocol/client/client_input.h"
#include "protocol/client/client_json.h"
#include "protocol/client/client_table_members.h"

namespace trestle {
namespace {

Result<void> take_features(JsonElement json, TableDescription& table) {
  return take_members(json, into_indexes("LocalSecondaryIndexes", false, table.indexes),
                      into_indexes("GlobalSecondaryIndexes", true, table.indexes),
                      into("VectorIndexes", table.vector_indexes),
                      into("StreamDescription", [&](JsonElement element) { return take_stream(element, table); }),
                      into("TimeToLiveDescription", table, ShapeRules::as<TimeToLiveDescription>),
                      into("SSEDescription", [&](JsonElement element) { return take_sse(element, table.sse); }));
}

}  // namespace

Result<void> read_response_by_hand(JsonInput input, BackupResponse& response) {
  BackupDescription& backup = response.backup;
  return take_members(input, into("BackupDescription", [&](JsonElement json) {
                        return take_members(json, into("BackupDetails", backup.details),
                                            into("SourceTableDetails", backup.table, ShapeRules::as<SourceTable>),
                                            into("SourceTableFeatureDetails", [&](JsonElement features) {
                                              return take_features(features, backup.table);
                                            }));
                      }));
}

}  // namespace trestle
