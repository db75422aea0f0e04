#include "protocol/shapes/by_hand.h"

#include "protocol/validation/constraints.h"

namespace trestle {
namespace {

enum class ShardFilterType { kChildShards };
constexpr Choice<ShardFilterType> kShardFilterTypes[] = {{"CHILD_SHARDS", ShardFilterType::kChildShards}};

struct UncheckedShardFilter {
  std::optional<std::string_view> type;
  std::optional<std::string_view> shard_id;
};

Result<UncheckedShardFilter> read_shard_filter(JsonElement json) {
  TRY_INTO(const JsonInput input, json_structure(json, "ShardFilter", JsonPlace::kMember));
  UncheckedShardFilter filter;
  for (const JsonMember member : input) {
    if (member.name == "Type") {
      TRY_INTO(filter.type, json_string(member.value));
    } else if (member.name == "ShardId") {
      TRY_INTO(filter.shard_id, json_string(member.value));
    }
  }
  return filter;
}

void constrain_length(std::optional<std::string_view> text, const MemberPath& member, size_t min, size_t max,
                      Constraints& constraints) {
  constraints.length_at_least(text, member, min);
  constraints.length_at_most(text, member, max);
}

}  // namespace

Result<DescribeStreamRequest> read_request_by_hand(JsonInput input, Of<DescribeStreamRequest>) {
  DescribeStreamRequest request;
  std::optional<std::string_view> arn;
  std::optional<std::string_view> start;
  std::optional<UncheckedShardFilter> filter;
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
  if (arn && !is_stream_arn(*arn)) return invalid("Invalid StreamArn");
  Constraints constraints;
  constraints.not_null(arn.has_value(), "streamArn");
  constrain_length(arn, "streamArn", 37, 1024, constraints);
  constraints.value_at_least(request.limit, "limit", 1);
  constrain_length(start, "exclusiveStartShardId", 28, 65, constraints);
  if (filter) {
    const MemberPath path("shardFilter");
    std::optional<ShardFilterType> type;
    constraints.one_of(filter->type, {&path, "type"}, kShardFilterTypes, type);
    constrain_length(filter->shard_id, {&path, "shardId"}, 28, 65, constraints);
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

}  // namespace trestle
