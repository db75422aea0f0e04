// Streams: ListStreams, DescribeStream, GetShardIterator, GetRecords. A parameter that the client omitted is absent.
#pragma once

#include "model/table.h"

namespace trestle {

enum class ShardIteratorType { kTrimHorizon, kLatest, kAtSequenceNumber, kAfterSequenceNumber };

// The effect of a change on an item. A write that changes nothing produces no event.
enum class StreamEvent : uint8_t { kInsert, kModify, kRemove };

// The origin of a change. The record of a time-to-live deletion names DynamoDB as its user.
enum class WriteOrigin : uint8_t { kClient, kTimeToLive };

struct ListStreamsRequest {
  std::optional<std::string> table_name;
  std::optional<int64_t> limit;
  std::optional<std::string> exclusive_start_stream_arn;
};
struct StreamSummary {
  std::string arn;
  std::string table_name;
  std::string label;
};
struct ListStreamsResponse {
  std::vector<StreamSummary> streams;
  std::optional<std::string> last_evaluated_stream_arn;
};

enum class ShardFilterType { kChildShards };
// Restricts the list to the children of a shard if both members are present.
struct ShardFilter {
  std::optional<ShardFilterType> type;
  std::optional<std::string> shard_id;
};
struct DescribeStreamRequest {
  std::string stream_arn;
  std::optional<int64_t> limit;
  std::optional<std::string> exclusive_start_shard_id;
  std::optional<ShardFilter> shard_filter;
};
struct ShardDescription {
  std::string id;
  std::optional<std::string> parent_id;
  std::string starting_sequence_number;
  std::optional<std::string> ending_sequence_number;  // absent: the shard is open
};
struct StreamDescription {
  std::string arn;
  std::string label;
  bool enabled = false;
  StreamViewType view_type = StreamViewType::kKeysOnly;
  int64_t created_ms = 0;
  std::string table_name;
  KeySchema key;
  std::vector<ShardDescription> shards;
  std::optional<std::string> last_evaluated_shard_id;
};
struct DescribeStreamResponse {
  StreamDescription stream;
};

struct GetShardIteratorRequest {
  std::string stream_arn;
  std::string shard_id;
  ShardIteratorType type = ShardIteratorType::kTrimHorizon;
  std::optional<std::string> sequence_number;
};
struct GetShardIteratorResponse {
  std::string shard_iterator;
};

struct GetRecordsRequest {
  std::string shard_iterator;
  std::optional<int64_t> limit;
};
struct StreamRecord {
  std::string event_id;
  StreamEvent event = StreamEvent::kInsert;
  WriteOrigin origin = WriteOrigin::kClient;
  int64_t created_ms = 0;
  std::string sequence_number;
  Item keys;
  std::optional<Item> new_image;
  std::optional<Item> old_image;
  size_t size_bytes = 0;
};
struct GetRecordsResponse {
  std::string region;
  StreamViewType view_type = StreamViewType::kKeysOnly;
  std::vector<StreamRecord> records;
  std::optional<std::string> next_shard_iterator;  // absent: the end of a closed shard was reached
};

// Whether a text has the form of a stream ARN: "arn:aws:dynamodb:<region>:<account>:table/<name>/stream/<label>".
bool is_stream_arn(std::string_view text);

}  // namespace trestle
