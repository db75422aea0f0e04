// ListStreams, DescribeStream, GetShardIterator and GetRecords in the client's direction.
#include "protocol/client_input.h"
#include "protocol/client_json.h"
#include "protocol/client_output.h"
#include "protocol/client_table_members.h"
#include "protocol/table_enumerations.h"

namespace trestle {

Result<void> take(JsonElement json, StreamSummary& stream) {
  return take_members(json, into("StreamArn", stream.arn), into("StreamLabel", stream.label),
                      into("TableName", stream.table_name));
}

Result<void> take(JsonElement json, ShardDescription& shard) {
  const auto take_range = [&](JsonElement range) {
    return take_members(range, into("StartingSequenceNumber", shard.starting_sequence_number),
                        into("EndingSequenceNumber", shard.ending_sequence_number));
  };
  return take_members(json, into("ShardId", shard.id), into("ParentShardId", shard.parent_id),
                      into("SequenceNumberRange", take_range));
}

Result<void> take(JsonElement json, StreamDescription& stream) {
  const auto take_status = [&](JsonElement status) -> Result<void> {
    TRY_INTO(const std::string_view text, json_string(status));
    stream.enabled = text.starts_with("ENABL");  // or ENABLING
    return {};
  };
  return take_members(
      json, into("StreamArn", stream.arn), into("StreamLabel", stream.label), into("StreamStatus", take_status),
      into("StreamViewType", stream.view_type, kStreamViewTypes),
      into("CreationRequestDateTime", [&](JsonElement time) { return take_timestamp_ms(time, stream.created_ms); }),
      into("TableName", stream.table_name), into("KeySchema", stream.key), into("Shards", stream.shards),
      into("LastEvaluatedShardId", stream.last_evaluated_shard_id));
}

void write_request_json(const ListStreamsRequest& request, std::string& out) {
  JsonOutput json(out);
  json.begin_object();
  put(json, "TableName", request.table_name);
  put(json, "Limit", request.limit);
  put(json, "ExclusiveStartStreamArn", request.exclusive_start_stream_arn);
  json.end_object();
}

void write_request_json(const DescribeStreamRequest& request, std::string& out) {
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

void write_request_json(const GetShardIteratorRequest& request, std::string& out) {
  JsonOutput json(out);
  json.begin_object();
  put(json, "StreamArn", request.stream_arn);
  put(json, "ShardId", request.shard_id);
  put_choice(json, "ShardIteratorType", request.type, kShardIteratorTypes);
  put(json, "SequenceNumber", request.sequence_number);
  json.end_object();
}

void write_request_json(const GetRecordsRequest& request, std::string& out) {
  JsonOutput json(out);
  json.begin_object();
  put(json, "ShardIterator", request.shard_iterator);
  put(json, "Limit", request.limit);
  json.end_object();
}

Result<void> read_response_json(JsonInput input, ListStreamsResponse& response) {
  return take_members(input, into("Streams", response.streams),
                      into("LastEvaluatedStreamArn", response.last_evaluated_stream_arn));
}

Result<void> read_response_json(JsonInput input, DescribeStreamResponse& response) {
  return take_members(input, into("StreamDescription", response.stream));
}

Result<void> read_response_json(JsonInput input, GetShardIteratorResponse& response) {
  return take_members(input, into("ShardIterator", response.shard_iterator));
}

// Region and view type are told of each record; the response has them once.
Result<void> read_response_json(JsonInput input, GetRecordsResponse& response) {
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
