// The shards of a stream as clients see them, derived from its slots and generations
// (storage/catalog/stream_catalog.h). Shard ids depend only on immutable data, so a restart does not change them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/stream_requests.h"
#include "storage/catalog/stream_catalog.h"
#include "storage/stream_record.h"

namespace trestle {

struct Shard {
  std::string id;  // "shardId-00000001769860800000-40b2f1c7": its start time, then its slot and a hash
  std::optional<std::string> parent_id;  // present even if the parent has been deleted
  uint32_t slot = 0;
  uint64_t first_commit = 0;
  std::optional<uint64_t> last_commit;  // absent: the shard is open

  StreamPosition begin() const { return {.commit = first_commit, .place = 0}; }
};

// In order of id.
std::vector<Shard> shards_of(const Stream& stream);
std::optional<Shard> find_shard(const Stream& stream, std::string_view id);
// The shard of a slot that begins with this commit.
std::optional<Shard> find_shard(const Stream& stream, uint32_t slot, uint64_t first_commit);

std::unexpected<Error> shard_not_found();
// The position is before the oldest record of the stream.
std::unexpected<Error> trimmed_data();

ShardDescription shard_description(const Shard& shard);

}  // namespace trestle
