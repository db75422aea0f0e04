#include <fmt/format.h>

#include <algorithm>

#include "base/mix.h"
#include "engine/streams/shard.h"
#include "engine/streams/shard_iterator.h"
#include "engine/streams/stream_operations.h"
#include "model/limits.h"

namespace trestle {
namespace {

std::string event_id(uint32_t stream, StreamPosition position) {
  return fmt::format("{:016x}{:016x}", mix64(position.commit), mix64(uint64_t{stream} << 32 | position.place));
}

size_t size_of(const StreamRecordView& record) {
  return record.keys.size_bytes() + (record.new_image.empty() ? 0 : record.new_image.size_bytes()) +
         (record.old_image.empty() ? 0 : record.old_image.size_bytes());
}

std::optional<Item> image(ItemView item) {
  if (item.empty()) return std::nullopt;
  return Item(item);
}

StreamRecord to_record(uint32_t stream, StreamPosition position, const StreamRecordView& record) {
  return {.event_id = event_id(stream, position),
          .event = record.event,
          .origin = record.origin,
          .created_ms = record.created_ms,
          .sequence_number = sequence_number(position),
          .keys = Item(record.keys),
          .new_image = image(record.new_image),
          .old_image = image(record.old_image),
          .size_bytes = size_of(record)};
}

// The records read from a shard, and the position of the next read.
struct RecordsRead {
  std::vector<StreamRecord> records;
  StreamPosition next;
  uint64_t newest_commit = 0;
};

// Reads as many records as fit into one response, up to and including commit `last`.
Result<RecordsRead> read_records(uint32_t stream, Cursor& cursor, uint64_t last, size_t limit) {
  RecordsRead read;
  size_t bytes = 0;
  for (; cursor.valid(); cursor.next()) {
    const StreamPosition position = stream_record_position(cursor.key());
    if (position.commit > last) break;
    const auto record = read_stream_record(cursor.value());
    if (!record) return failure(ErrorCode::kInternal, "A stored stream record is damaged");
    const size_t size = size_of(*record);
    if (read.records.size() == limit || (!read.records.empty() && bytes + size > kPageBytesMax)) {
      read.next = position;
      return read;
    }
    bytes += size;
    read.newest_commit = position.commit;
    read.records.push_back(to_record(stream, position, *record));
  }
  TRY(cursor.status());
  read.next = {.commit = last + 1, .place = 0};
  return read;
}

}  // namespace

Result<GetRecordsResponse> get_records(TableParts& parts, const GetRecordsRequest& request, Call& call) {
  const auto position = read_shard_iterator(request.shard_iterator);
  if (!position) return invalid("Invalid ShardIterator");
  const int64_t now_ms = parts.options.clock->now_ms();
  if (now_ms - position->issued_ms > kShardIteratorMs) {
    return failure(ErrorCode::kExpiredIterator, "The provided iterator exceeds the maximum age allowed.");
  }

  // First finished_commit(), then the cursor, then the stream: this order ensures that exactly the records of this
  // shard are read (storage/catalog/stream_catalog.h).
  const uint64_t finished = parts.store->finished_commit();
  const auto cursor = parts.store->cursor(
      Space::kStreams, {.range = stream_record_range(position->stream_id, position->slot, position->next, kStreamEnd)},
      nullptr);
  TRY_INTO(const auto stream, find_stream(parts, position->stream_arn, call));
  const auto shard = stream->id == position->stream_id
                         ? find_shard(*stream, position->slot, position->shard_first_commit)
                         : std::nullopt;
  if (!shard) return shard_not_found();
  if (position->next.commit <= stream->trimmed_commit) {
    return trimmed_data();
  }

  const uint64_t last = std::min(finished, shard->last_commit.value_or(UINT64_MAX));
  const auto limit = static_cast<size_t>(request.limit.value_or(static_cast<int64_t>(kStreamRecordsMax)));
  TRY_INTO(RecordsRead read, read_records(stream->id, *cursor, last, limit));
  // The response waits until the records are durable. With relaxed durability commit_seen() is 0, so it does not wait.
  call.commit = std::max(call.commit, std::min(read.newest_commit, parts.store->commit_seen()));

  StreamCounts& counts = *stream->counts;
  counts.reads.fetch_add(1, std::memory_order_relaxed);
  counts.read.fetch_add(read.records.size(), std::memory_order_relaxed);
  counts.next_commits[position->slot].store(read.next.commit, std::memory_order_relaxed);

  GetRecordsResponse response{.region = parts.options.region,
                              .view_type = stream->view_type,
                              .records = std::move(read.records),
                              .next_shard_iterator = std::nullopt};
  if (shard->last_commit && read.next.commit > *shard->last_commit) return response;
  ShardIterator next = *position;
  next.next = std::max(read.next, position->next);
  next.issued_ms = now_ms;
  response.next_shard_iterator = encode_shard_iterator(next);
  return response;
}

}  // namespace trestle
