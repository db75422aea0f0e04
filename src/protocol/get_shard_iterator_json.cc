#include "protocol/get_shard_iterator_json.h"

#include "protocol/json_output.h"
#include "protocol/stream_members.h"
#include "protocol/table_enumerations.h"

namespace trestle {

Result<GetShardIteratorRequest> read_get_shard_iterator_json(JsonInput input) {
  GetShardIteratorRequest request;
  std::optional<std::string_view> arn;
  std::optional<std::string_view> shard_id;
  std::optional<std::string_view> type;
  std::optional<std::string_view> sequence_number;
  for (const JsonMember member : input) {
    if (member.name == "StreamArn") {
      TRY_INTO(arn, json_string(member.value));
    } else if (member.name == "ShardId") {
      TRY_INTO(shard_id, json_string(member.value));
    } else if (member.name == "ShardIteratorType") {
      TRY_INTO(type, json_string(member.value));
    } else if (member.name == "SequenceNumber") {
      TRY_INTO(sequence_number, json_string(member.value));
    }
  }
  TRY(check_stream_arn(arn));
  Constraints constraints;
  constraints.not_null(arn.has_value(), "streamArn");
  constrain_stream_arn(arn, "streamArn", constraints);
  constraints.not_null(shard_id.has_value(), "shardId");
  constrain_shard_id(shard_id, "shardId", constraints);
  constraints.not_null(type.has_value(), "shardIteratorType");
  constraints.one_of(type, "shardIteratorType", kShardIteratorTypes, request.type);
  constraints.length_at_least(sequence_number, "sequenceNumber", 21);
  constraints.length_at_most(sequence_number, "sequenceNumber", 40);
  TRY(constraints.check());

  const bool needs_number =
      request.type == ShardIteratorType::kAtSequenceNumber || request.type == ShardIteratorType::kAfterSequenceNumber;
  if (needs_number && !sequence_number) {
    return invalid("One or more parameter values were invalid: SequenceNumber is required for ShardIteratorType: " +
                   std::string(*type));
  }
  if (!needs_number && sequence_number) {
    return invalid("One or more parameter values were invalid: SequenceNumber is not allowed for ShardIteratorType: " +
                   std::string(*type));
  }
  request.stream_arn = *arn;
  request.shard_id = *shard_id;
  if (sequence_number) request.sequence_number = *sequence_number;
  return request;
}

void write_get_shard_iterator_json(const GetShardIteratorResponse& response, std::string& out) {
  JsonOutput json(out);
  json.begin_object();
  json.member("ShardIterator", response.shard_iterator);
  json.end_object();
}

}  // namespace trestle
