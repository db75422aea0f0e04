// A stream record describes one change of an item. This header defines its position and its bytes.
//
// The position of a record is the number of its commit and its place within that commit. Positions grow in the order in
// which items changed, also across restarts (storage/store.h). Clients see a position as a sequence number: '1', the
// commit's number in 20 digits, the place in 6. All have the same length, so their text order is their numeric order.
//
//   kStreams key   := stream u32, slot u8, commit u64, place u32, all big endian
//   kStreams value := 01 (format), event, origin, varint ms since 1970, sized keys, sized new image, sized old image
//   event          := 00 INSERT | 01 MODIFY | 02 REMOVE
//   origin         := 00 a client | 01 time to live
//
// Keys and images are items (model/value.h); an image that the stream's view type excludes is empty. A stream's
// partitions are assigned to slots by their hash: slot i of n has the hashes from (i << 32) / n on. A shard is a range
// of commits within a slot (storage/catalog/stream_catalog.h), so a writer need not know the shards.
//
// These bytes are on disk: never change a code, only add one. Vectors: docs/formats.md, stream_record_test.cc.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "model/stream_requests.h"
#include "storage/key_encoding.h"

namespace trestle {

struct StreamPosition {
  uint64_t commit = 0;
  uint32_t place = 0;
  friend auto operator<=>(const StreamPosition&, const StreamPosition&) = default;
};

inline constexpr uint32_t kStreamPlacesMax = 1'000'000;  // per commit

std::string sequence_number(StreamPosition position);
// Returns nothing if the text is not a sequence number of this format.
std::optional<StreamPosition> read_sequence_number(std::string_view text);

// The slot of a partition in a stream with `slots` slots.
inline uint32_t stream_slot(uint32_t partition_hash, uint32_t slots) {
  return static_cast<uint32_t>(uint64_t{partition_hash} * slots >> 32);
}

std::string stream_record_key(uint32_t stream, uint32_t slot, StreamPosition position);
StreamPosition stream_record_position(std::string_view key);
// A slot's records from `begin` up to, not including, `end`.
KeyRange stream_record_range(uint32_t stream, uint32_t slot, StreamPosition begin, StreamPosition end);
inline constexpr StreamPosition kStreamEnd{.commit = UINT64_MAX, .place = UINT32_MAX};
// All records of a stream.
KeyRange stream_range(uint32_t stream);

struct StreamRecordView {
  StreamEvent event = StreamEvent::kInsert;
  WriteOrigin origin = WriteOrigin::kClient;
  int64_t created_ms = 0;
  ItemView keys;
  ItemView new_image;
  ItemView old_image;
};

std::string encode_stream_record(const StreamRecordView& record);
// Borrows from the bytes. Returns nothing if they are not a record.
std::optional<StreamRecordView> read_stream_record(std::string_view bytes);

}  // namespace trestle
