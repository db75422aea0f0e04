#include "protocol/describe_stream_json.h"

#include "protocol/stream_members.h"
#include "protocol/table_description_json.h"

namespace trestle {
namespace {

enum class ShardFilterType { kChildShards };
constexpr Choice<ShardFilterType> kShardFilterTypes[] = {{"CHILD_SHARDS", ShardFilterType::kChildShards}};

struct GivenShardFilter {
  std::optional<std::string_view> type;
  std::optional<std::string_view> shard_id;
};

Result<GivenShardFilter> read_shard_filter(JsonElement json) {
  TRY_INTO(const JsonInput input, json_structure(json, "ShardFilter", JsonPlace::kMember));
  GivenShardFilter filter;
  for (const JsonMember member : input) {
    if (member.name == "Type") {
      TRY_INTO(filter.type, json_string(member.value));
    } else if (member.name == "ShardId") {
      TRY_INTO(filter.shard_id, json_string(member.value));
    }
  }
  return filter;
}

void write_shard(const ShardDescription& shard, JsonOutput& json) {
  json.begin_object();
  if (shard.parent_id) json.member("ParentShardId", *shard.parent_id);
  json.key("SequenceNumberRange").begin_object();
  if (shard.ending_sequence_number) json.member("EndingSequenceNumber", *shard.ending_sequence_number);
  json.member("StartingSequenceNumber", shard.starting_sequence_number);
  json.end_object();
  json.member("ShardId", shard.id);
  json.end_object();
}

}  // namespace

Result<DescribeStreamRequest> read_describe_stream_json(JsonInput input) {
  DescribeStreamRequest request;
  std::optional<std::string_view> arn;
  std::optional<std::string_view> start;
  std::optional<GivenShardFilter> filter;
  for (const JsonMember member : input) {
    if (member.name == "StreamArn") {
      TRY_INTO(arn, json_string(member.value));
    } else if (member.name == "Limit") {
      TRY_INTO(request.limit, json_integer(member.value, "Integer"));
    } else if (member.name == "ExclusiveStartShardId") {
      TRY_INTO(start, json_string(member.value));
    } else if (member.name == "ShardFilter") {
      TRY_INTO(filter, read_shard_filter(member.value));
    }
  }
  TRY(check_stream_arn(arn));
  Constraints constraints;
  constraints.not_null(arn.has_value(), "streamArn");
  constrain_stream_arn(arn, "streamArn", constraints);
  constraints.value_at_least(request.limit, "limit", 1);
  constrain_shard_id(start, "exclusiveStartShardId", constraints);
  if (filter) {
    const MemberPath path("shardFilter");
    std::optional<ShardFilterType> type;
    constraints.one_of(filter->type, {&path, "type"}, kShardFilterTypes, type);
    constrain_shard_id(filter->shard_id, {&path, "shardId"}, constraints);
  }
  TRY(constraints.check());
  if (request.limit.value_or(0) > 100) {
    return invalid("One or more parameter values were invalid: Limit cannot be greater than the maximum: 100");
  }
  request.stream_arn = *arn;
  if (start) request.exclusive_start_shard_id = *start;
  if (filter && filter->type && filter->shard_id) request.child_shards_of = *filter->shard_id;
  return request;
}

void write_describe_stream_json(const DescribeStreamResponse& response, std::string& out) {
  const StreamDescription& stream = response.stream;
  JsonOutput json(out);
  json.begin_object();
  json.key("StreamDescription").begin_object();
  json.key("CreationRequestDateTime").timestamp_ms(stream.created_ms);
  write_key_schema(stream.key, json);
  if (stream.last_evaluated_shard_id) json.member("LastEvaluatedShardId", *stream.last_evaluated_shard_id);
  json.key("Shards").begin_array();
  for (const auto& shard : stream.shards) write_shard(shard, json);
  json.end_array();
  json.member("StreamArn", stream.arn);
  json.member("StreamLabel", stream.label);
  json.member("StreamStatus", stream.enabled ? "ENABLED" : "DISABLED");
  json.member("StreamViewType", stream_view_type_name(stream.view_type));
  json.member("TableName", stream.table_name);
  json.end_object();
  json.end_object();
}

}  // namespace trestle
