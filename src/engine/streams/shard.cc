#include "engine/streams/shard.h"

#include <fmt/format.h>

#include "base/mix.h"

namespace trestle {
namespace {

std::string shard_id(const Stream& stream, uint32_t slot, int64_t started_ms) {
  const uint32_t hash = static_cast<uint32_t>(mix64(mix64(stream.id) ^ static_cast<uint64_t>(started_ms))) >> 8;
  return fmt::format("shardId-{:020}-{:08x}", started_ms, (slot * (256 / stream.slots)) << 24 | hash);
}

Shard shard_of(const Stream& stream, size_t generation, uint32_t slot) {
  const ShardGeneration& start = stream.generations[generation];
  Shard shard{.id = shard_id(stream, slot, start.started_ms), .slot = slot, .first_commit = start.first_commit};
  if (start.parent_started_ms != 0) shard.parent_id = shard_id(stream, slot, start.parent_started_ms);
  if (generation + 1 < stream.generations.size()) {
    shard.last_commit = stream.generations[generation + 1].first_commit - 1;
  } else if (!stream.enabled()) {
    shard.last_commit = stream.last_commit;
  }
  return shard;
}

}  // namespace

std::vector<Shard> shards_of(const Stream& stream) {
  std::vector<Shard> shards;
  for (size_t generation = 0; generation < stream.generations.size(); ++generation) {
    for (uint32_t slot = 0; slot < stream.slots; ++slot) shards.push_back(shard_of(stream, generation, slot));
  }
  return shards;
}

std::optional<Shard> find_shard(const Stream& stream, std::string_view id) {
  for (auto& shard : shards_of(stream)) {
    if (shard.id == id) return std::move(shard);
  }
  return std::nullopt;
}

std::optional<Shard> find_shard(const Stream& stream, uint32_t slot, uint64_t first_commit) {
  for (size_t generation = 0; generation < stream.generations.size() && slot < stream.slots; ++generation) {
    if (stream.generations[generation].first_commit == first_commit) return shard_of(stream, generation, slot);
  }
  return std::nullopt;
}

std::unexpected<Error> shard_not_found() {
  return failure(ErrorCode::kResourceNotFound, "Requested resource not found: Shard does not exist");
}

std::unexpected<Error> trimmed_data() {
  return failure(ErrorCode::kTrimmedDataAccess, "The data you are trying to access has been trimmed");
}

ShardDescription shard_description(const Shard& shard) {
  ShardDescription description{.id = shard.id,
                               .parent_id = shard.parent_id,
                               .starting_sequence_number = sequence_number(shard.begin()),
                               .ending_sequence_number = std::nullopt};
  if (shard.last_commit) {
    description.ending_sequence_number = sequence_number({.commit = *shard.last_commit, .place = kStreamPlacesMax - 1});
  }
  return description;
}

}  // namespace trestle
