// DescribeBackup and DeleteBackup on the client.
#include "model/shapes/description_shapes.h"
#include "protocol/client/client_input.h"
#include "protocol/client/client_json.h"
#include "protocol/client/client_table_members.h"

namespace trestle {
namespace {

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
