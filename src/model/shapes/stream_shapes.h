// The shapes of streams.
#pragma once

#include "model/shapes/shape.h"
#include "model/shapes/table_enumerations.h"
#include "model/stream_requests.h"

namespace trestle {

struct StreamRules : ShapeRules {
  static constexpr rules::Formed stream_arn{
      is_stream_arn, "Invalid StreamArn",
      "arn:aws:dynamodb:us-east-1:000000000000:table/music/stream/2026-01-31T12:00:00.000"};
  static constexpr rules::Length shard_id_length{28, 65};
};

template <>
struct Shape<ListStreamsRequest> : StreamRules {
  static void members(auto& of) {
    using Of = ListStreamsRequest;
    of.member("TableName", &Of::table_name, name_pattern, name_length);
    of.member("Limit", &Of::limit, integer, at_least(1));
    of.member("ExclusiveStartStreamArn", &Of::exclusive_start_stream_arn, stream_arn, arn_length);
  }
};
template <>
struct Shape<StreamSummary> : ShapeRules {
  static void members(auto& of) {
    of.member("StreamArn", &StreamSummary::arn);
    of.member("StreamLabel", &StreamSummary::label);
    of.member("TableName", &StreamSummary::table_name);
  }
};
template <>
struct Shape<ListStreamsResponse> : ShapeRules {
  static void members(auto& of) {
    of.member("LastEvaluatedStreamArn", &ListStreamsResponse::last_evaluated_stream_arn);
    of.member("Streams", &ListStreamsResponse::streams);
  }
};

template <>
struct Shape<ShardFilter> : StreamRules {
  static constexpr std::string_view kType = "ShardFilter";
  static void members(auto& of) {
    of.member("Type", &ShardFilter::type, one_of(kShardFilterTypes));
    of.member("ShardId", &ShardFilter::shard_id, shard_id_length);
  }
};
template <>
struct Shape<DescribeStreamRequest> : StreamRules {
  static void members(auto& of) {
    using Of = DescribeStreamRequest;
    of.member("StreamArn", &Of::stream_arn, stream_arn, required, arn_length);
    of.member("Limit", &Of::limit, integer, at_least(1));
    of.member("ExclusiveStartShardId", &Of::exclusive_start_shard_id, shard_id_length);
    of.member("ShardFilter", &Of::shard_filter);
  }
};
template <>
struct Shape<ShardDescription> : ShapeRules {
  static void members(auto& of) {
    using Of = ShardDescription;
    of.member("ParentShardId", &Of::parent_id);
    of.structure("SequenceNumberRange", [](auto& in) {
      in.member("EndingSequenceNumber", &Of::ending_sequence_number);
      in.member("StartingSequenceNumber", &Of::starting_sequence_number);
    });
    of.member("ShardId", &Of::id);
  }
};
template <>
struct Shape<StreamDescription> : ShapeRules {
  static void members(auto& of) {
    using Of = StreamDescription;
    of.member("CreationRequestDateTime", &Of::created_ms, timestamp);
    of.member("KeySchema", &Of::key);
    of.member("LastEvaluatedShardId", &Of::last_evaluated_shard_id);
    of.member("Shards", &Of::shards);
    of.member("StreamArn", &Of::arn);
    of.member("StreamLabel", &Of::label);
    of.member("StreamStatus", &Of::enabled, one_of(kStreamStatuses));
    of.member("StreamViewType", &Of::view_type, one_of(kStreamViewTypes));
    of.member("TableName", &Of::table_name);
  }
};
template <>
struct Shape<DescribeStreamResponse> : ShapeRules {
  static void members(auto& of) { of.member("StreamDescription", &DescribeStreamResponse::stream); }
};

template <>
struct Shape<GetShardIteratorRequest> : StreamRules {
  static void members(auto& of) {
    using Of = GetShardIteratorRequest;
    of.member("StreamArn", &Of::stream_arn, stream_arn, required, arn_length);
    of.member("ShardId", &Of::shard_id, required, shard_id_length);
    of.member("ShardIteratorType", &Of::type, required, one_of(kShardIteratorTypes));
    of.member("SequenceNumber", &Of::sequence_number, length(21, 40));
  }
};
template <>
struct Shape<GetShardIteratorResponse> : ShapeRules {
  static void members(auto& of) { of.member("ShardIterator", &GetShardIteratorResponse::shard_iterator); }
};

template <>
struct Shape<GetRecordsRequest> : ShapeRules {
  static void members(auto& of) {
    of.member("ShardIterator", &GetRecordsRequest::shard_iterator, required, length(1, 2048));
    of.member("Limit", &GetRecordsRequest::limit, integer, at_least(1));
  }
};

}  // namespace trestle
