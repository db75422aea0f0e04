// A shard iterator: a position in a shard, as clients hold it. Its text is the stream's ARN, "|1|", and bytes in
// hexadecimal that only shard_iterator.cc interprets. Valid for 15 minutes, also across a restart.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "storage/stream_record.h"

namespace trestle {

inline constexpr int64_t kShardIteratorMs = 15 * 60 * 1000;

struct ShardIterator {
  std::string stream_arn;
  uint32_t stream_id = 0;
  uint32_t slot = 0;
  uint64_t shard_first_commit = 0;
  StreamPosition next;  // the first position not read yet
  int64_t issued_ms = 0;
};

std::string encode_shard_iterator(const ShardIterator& iterator);
// Returns nothing if the text is not a valid shard iterator.
std::optional<ShardIterator> read_shard_iterator(std::string_view text);

}  // namespace trestle
