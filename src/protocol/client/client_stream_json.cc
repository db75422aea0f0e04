// ListStreams, DescribeStream, GetShardIterator and GetRecords in the client's direction.
#include "model/shapes/table_enumerations.h"
#include "protocol/client/client_input.h"
#include "protocol/client/client_json.h"
#include "protocol/client/client_output.h"
#include "protocol/client/client_table_members.h"

namespace trestle {

void write_request_by_hand(const DescribeStreamRequest& request, std::string& out) {
  JsonOutput json(out);
  json.begin_object();
  put(json, "StreamArn", request.stream_arn);
  put(json, "Limit", request.limit);
  put(json, "ExclusiveStartShardId", request.exclusive_start_shard_id);
  if (request.child_shards_of) {
    json.key("ShardFilter").begin_object();
    json.member("Type", "CHILD_SHARDS");
    put(json, "ShardId", request.child_shards_of);
    json.end_object();
  }
  json.end_object();
}

// Every record has region and view type; the response has them once.
Result<void> read_response_by_hand(JsonInput input, GetRecordsResponse& response) {
  const auto take_record = [&](JsonElement json, StreamRecord& record) -> Result<void> {
    int64_t size_bytes = 0;
    const auto take_change = [&](JsonElement change) {
      return take_members(change,
                          into("ApproximateCreationDateTime",
                               [&](JsonElement time) { return take_timestamp_ms(time, record.created_ms); }),
                          into("Keys", record.keys), into("NewImage", record.new_image),
                          into("OldImage", record.old_image), into("SequenceNumber", record.sequence_number),
                          into("SizeBytes", size_bytes), into("StreamViewType", response.view_type, kStreamViewTypes));
    };
    const auto take_user = [&](JsonElement user) -> Result<void> {
      std::string principal;
      TRY(take_members(user, into("PrincipalId", principal), into("principalId", principal)));
      if (principal == "dynamodb.amazonaws.com") record.origin = WriteOrigin::kTimeToLive;
      return {};
    };
    TRY(take_members(json, into("awsRegion", response.region), into("dynamodb", take_change),
                     into("eventID", record.event_id), into("eventName", record.event, kStreamEvents),
                     into("userIdentity", take_user)));
    record.size_bytes = static_cast<size_t>(size_bytes);
    return {};
  };
  const auto take_records = [&](JsonElement json) -> Result<void> {
    TRY_INTO(const JsonArray array, json_list(json));
    for (const JsonElement element : array) TRY(take_record(element, response.records.emplace_back()));
    return {};
  };
  return take_members(input, into("NextShardIterator", response.next_shard_iterator), into("Records", take_records));
}

}  // namespace trestle
