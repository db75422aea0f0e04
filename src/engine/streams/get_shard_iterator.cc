#include <algorithm>

#include "engine/streams/shard.h"
#include "engine/streams/shard_iterator.h"
#include "engine/streams/stream_operations.h"

namespace trestle {
namespace {

// Reads a sequence number of the client, which must lie in the shard and must not be trimmed.
Result<StreamPosition> requested_position(const Stream& stream, const Shard& shard, const std::string& text) {
  const auto position = read_sequence_number(text);
  if (!position || *position < shard.begin() || (shard.last_commit && position->commit > *shard.last_commit)) {
    return invalid("Invalid SequenceNumber for the shard");
  }
  if (position->commit <= stream.trimmed_commit) {
    return trimmed_data();
  }
  return *position;
}

}  // namespace

Result<GetShardIteratorResponse> get_shard_iterator(TableParts& parts, const GetShardIteratorRequest& request,
                                                    Call& call) {
  // Determined before the shard is looked up: if the shard is closed in between, later records are in its children.
  const StreamPosition latest{.commit = parts.store->begun_commit() + 1, .place = 0};
  TRY_INTO(const auto stream, find_stream(parts, request.stream_arn, call));
  const auto shard = find_shard(*stream, request.shard_id);
  if (!shard) return shard_not_found();

  ShardIterator iterator{.stream_arn = request.stream_arn,
                         .stream_id = stream->id,
                         .slot = shard->slot,
                         .shard_first_commit = shard->first_commit,
                         .next = {},
                         .issued_ms = parts.options.clock->now_ms()};
  switch (request.type) {
    case ShardIteratorType::kTrimHorizon:
      iterator.next = {.commit = std::max(shard->first_commit, stream->trimmed_commit + 1), .place = 0};
      break;
    case ShardIteratorType::kLatest:
      iterator.next = std::max(latest, shard->begin());
      break;
    case ShardIteratorType::kAtSequenceNumber: {
      TRY_INTO(iterator.next, requested_position(*stream, *shard, *request.sequence_number));
      break;
    }
    case ShardIteratorType::kAfterSequenceNumber: {
      TRY_INTO(iterator.next, requested_position(*stream, *shard, *request.sequence_number));
      ++iterator.next.place;
      break;
    }
  }
  return GetShardIteratorResponse{encode_shard_iterator(iterator)};
}

}  // namespace trestle
