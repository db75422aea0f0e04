#include "engine/streams/shard.h"
#include "engine/streams/stream_operations.h"
#include "model/limits.h"

namespace trestle {

Result<DescribeStreamResponse> describe_stream(TableParts& parts, const DescribeStreamRequest& request, Call& call) {
  TRY_INTO(const auto stream, find_stream(parts, request.stream_arn, call));
  const auto limit = static_cast<size_t>(request.limit.value_or(kStreamListMax));
  StreamDescription description{.arn = request.stream_arn,
                                .label = stream->label,
                                .enabled = stream->enabled(),
                                .view_type = stream->view_type,
                                .created_ms = stream->created_ms,
                                .table_name = stream->table_name,
                                .key = stream->key,
                                .shards = {},
                                .last_evaluated_shard_id = std::nullopt};
  const auto is_filtered_out = [&](const Shard& shard) {
    const auto& filter = request.shard_filter;
    return filter && filter->type && filter->shard_id && shard.parent_id != *filter->shard_id;
  };
  for (const Shard& shard : shards_of(*stream)) {
    if (request.exclusive_start_shard_id && shard.id <= *request.exclusive_start_shard_id) continue;
    if (is_filtered_out(shard)) continue;
    if (description.shards.size() == limit) {
      description.last_evaluated_shard_id = description.shards.back().id;
      break;
    }
    description.shards.push_back(shard_description(shard));
  }
  return DescribeStreamResponse{std::move(description)};
}

Result<std::shared_ptr<const Stream>> find_stream(const TableParts& parts, std::string_view arn, Call& call) {
  auto stream = parts.catalog->streams().find(arn);
  call.commit = parts.catalog->streams().commit_seen();
  if (stream) {
    call.table_name = stream->table_name;
    return stream;
  }
  return failure(ErrorCode::kResourceNotFound,
                 "Requested resource not found: Stream: " + std::string(arn) + " not found");
}

}  // namespace trestle
