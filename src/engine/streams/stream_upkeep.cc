#include "engine/streams/stream_upkeep.h"

#include <algorithm>

#include "base/test_point.h"
#include "engine/parts.h"
#include "storage/stream_record.h"

namespace trestle {

StreamUpkeep::StreamUpkeep(EngineParts& parts, StreamUpkeepOptions options)
    : parts_(parts),
      options_(options),
      job_(parts.jobs.add(periodic_job("streams", options.interval_ms), [this](JobRun& run) { return step(run); })) {}

// Never reports failure: after a disk error, the failed work is due again in the next step.
JobOutcome StreamUpkeep::step(JobRun& run) {
  const int64_t now_ms = parts_.options.clock->now_ms();
  const bool trims = now_ms - trimmed_at_ms_ >= options_.trim_interval_ms;
  if (trims) trimmed_at_ms_ = now_ms;
  for (const auto& stream : parts_.catalog->streams().streams()) {
    if (run.stopping()) break;
    TRESTLE_TEST_POINT("streams.stream");
    if (stream->enabled() && now_ms - stream->generations.back().started_ms >= options_.shard_ms) {
      (void)parts_.catalog->edit_streams([&](StreamCatalog& streams) -> Result<void> {
        // The stream may have been disabled or removed since.
        const auto current = streams.find(stream->id);
        if (!current || !current->enabled()) return {};
        return streams.roll(stream->id, now_ms);
      });
    }
    if (trims) trim(*stream, now_ms - options_.retention_ms);
  }
  return JobOutcome::idle();
}

void StreamUpkeep::trim(const Stream& stream, int64_t cutoff_ms) {
  Store& store = *parts_.store;
  if (!stream.enabled() && stream.disabled_ms < cutoff_ms) {
    const auto removed =
        parts_.catalog->edit_streams([&](StreamCatalog& streams) { return streams.remove(stream.id); });
    if (removed.has_value() && store.sync().has_value()) {
      (void)store.drop_range(Space::kStreams, stream_range(stream.id));
    }
    return;
  }
  // A generation whose children were created before the cutoff has no records after the cutoff.
  size_t expired_generations = 0;
  uint64_t commit = stream.trimmed_commit;
  while (expired_generations + 1 < stream.generations.size() &&
         stream.generations[expired_generations + 1].started_ms < cutoff_ms) {
    ++expired_generations;
    commit = stream.generations[expired_generations].first_commit - 1;
  }
  for (uint32_t slot = 0; slot < stream.slots; ++slot) {
    const auto found = newest_expired_commit(stream, slot, cutoff_ms);
    if (!found.has_value()) return;
    commit = std::max(commit, *found);
  }
  if (expired_generations == 0 && commit == stream.trimmed_commit) return;
  for (uint32_t slot = 0; slot < stream.slots; ++slot) {
    const KeyRange range =
        stream_record_range(stream.id, slot, {.commit = stream.trimmed_commit + 1}, {.commit = commit + 1});
    stream.counts->trimmed.fetch_add(store.approximate_count(Space::kStreams, range), std::memory_order_relaxed);
  }
  const auto trimmed = parts_.catalog->edit_streams(
      [&](StreamCatalog& streams) { return streams.trim(stream.id, commit, expired_generations); });
  if (!trimmed.has_value() || expired_generations == 0 || !store.sync().has_value()) return;
  for (uint32_t slot = 0; slot < stream.slots; ++slot) {
    (void)store.drop_range(Space::kStreams, stream_record_range(stream.id, slot, {}, {.commit = commit + 1}));
  }
}

// The commit of a slot's last record before the cutoff; 0 if there is none. The binary search assumes that times grow
// with commits. That fails only if the clock is set, which moves the cutoff by the same amount.
Result<uint64_t> StreamUpkeep::newest_expired_commit(const Stream& stream, uint32_t slot, int64_t cutoff_ms) const {
  const Store& store = *parts_.store;
  uint64_t not_expired = store.finished_commit() + 1;
  // The commit of the first record at or after this commit, if that record has expired.
  const auto expired_from = [&](uint64_t commit) -> Result<std::optional<uint64_t>> {
    const auto cursor = store.cursor(
        Space::kStreams,
        {.range = stream_record_range(stream.id, slot, {.commit = commit}, kStreamEnd), .fill_cache = false}, nullptr);
    TRY(cursor->status());
    if (!cursor->valid()) return std::optional<uint64_t>();
    const auto record = read_stream_record(cursor->value());
    if (!record || record->created_ms >= cutoff_ms) return std::optional<uint64_t>();
    return std::optional(stream_record_position(cursor->key()).commit);
  };
  TRY_INTO(const auto first, expired_from(stream.trimmed_commit + 1));
  uint64_t expired = first.value_or(0);
  if (!first) return 0;
  while (expired + 1 < not_expired) {
    const uint64_t middle = expired + (not_expired - expired) / 2;
    TRY_INTO(const auto found, expired_from(middle));
    if (found) {
      expired = *found;
    } else {
      not_expired = middle;
    }
  }
  return expired;
}

}  // namespace trestle
