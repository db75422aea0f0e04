#include "engine/streams/stream_upkeep.h"

#include <algorithm>

#include "base/test_point.h"
#include "engine/parts.h"
#include "storage/stream_record.h"

namespace trestle {

StreamUpkeep::StreamUpkeep(EngineParts& parts, StreamUpkeepOptions options)
    : parts_(parts),
      options_(options),
      job_(parts.jobs.add({.name = "streams", .interval_ms = options.interval_ms, .threaded = options.interval_ms > 0},
                          [this](JobRun& run) { return step(run); })) {}

// After a disk error, the failed work is due again in the next step.
JobOutcome StreamUpkeep::step(JobRun& run) {
  const int64_t now_ms = parts_.options.clock->now_ms();
  const bool trims = now_ms - trimmed_at_ms_ >= options_.trim_interval_ms;
  if (trims) trimmed_at_ms_ = now_ms;
  for (const auto& stream : parts_.catalog->streams().streams()) {
    if (run.stopping()) break;
    TRESTLE_TEST_POINT("streams.stream");
    if (stream->enabled() && now_ms - stream->generations.back().started_ms >= options_.shard_ms) {
      (void)parts_.catalog->edit_streams([&](StreamCatalog& streams) -> Result<void> {
        // It may have been disabled, or removed, meanwhile.
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
  // A generation whose children are more than a day old has nothing younger itself.
  size_t gone = 0;
  uint64_t commit = stream.trimmed_commit;
  while (gone + 1 < stream.generations.size() && stream.generations[gone + 1].started_ms < cutoff_ms) {
    ++gone;
    commit = stream.generations[gone].first_commit - 1;
  }
  for (uint32_t slot = 0; slot < stream.slots; ++slot) {
    const auto found = newest_expired_commit(stream, slot, cutoff_ms);
    if (!found.has_value()) return;
    commit = std::max(commit, *found);
  }
  if (gone == 0 && commit == stream.trimmed_commit) return;
  for (uint32_t slot = 0; slot < stream.slots; ++slot) {
    const KeyRange range =
        stream_record_range(stream.id, slot, {.commit = stream.trimmed_commit + 1}, {.commit = commit + 1});
    stream.counts->trimmed.fetch_add(store.approximate_count(Space::kStreams, range), std::memory_order_relaxed);
  }
  const auto trimmed =
      parts_.catalog->edit_streams([&](StreamCatalog& streams) { return streams.trim(stream.id, commit, gone); });
  if (!trimmed.has_value() || gone == 0 || !store.sync().has_value()) return;
  for (uint32_t slot = 0; slot < stream.slots; ++slot) {
    (void)store.drop_range(Space::kStreams, stream_record_range(stream.id, slot, {}, {.commit = commit + 1}));
  }
}

// The commit of a slot's last record from before the cutoff; 0 if there is none. Times grow with commits, except when
// the clock is set, which moves the cutoff by as much.
Result<uint64_t> StreamUpkeep::newest_expired_commit(const Stream& stream, uint32_t slot, int64_t cutoff_ms) const {
  const Store& store = *parts_.store;
  uint64_t young = store.finished_commit() + 1;
  // The first record of this commit or a later one, if it is too old.
  const auto old_from = [&](uint64_t commit) -> Result<std::optional<uint64_t>> {
    const auto cursor = store.cursor(
        Space::kStreams,
        {.range = stream_record_range(stream.id, slot, {.commit = commit}, kStreamEnd), .fill_cache = false}, nullptr);
    TRY(cursor->status());
    if (!cursor->valid()) return std::optional<uint64_t>();
    const auto record = read_stream_record(cursor->value());
    if (!record || record->created_ms >= cutoff_ms) return std::optional<uint64_t>();
    return std::optional(stream_record_position(cursor->key()).commit);
  };
  TRY_INTO(const auto first, old_from(stream.trimmed_commit + 1));
  uint64_t old = first.value_or(0);
  if (!first) return 0;
  while (old + 1 < young) {
    const uint64_t middle = old + (young - old) / 2;
    TRY_INTO(const auto found, old_from(middle));
    if (found) {
      old = *found;
    } else {
      young = middle;
    }
  }
  return old;
}

}  // namespace trestle
