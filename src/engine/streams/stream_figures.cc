#include "engine/streams/stream_figures.h"

#include <algorithm>

#include "storage/stream_record.h"

namespace trestle {
namespace {

constexpr uint64_t kCountedMax = 100;  // per slot

std::unique_ptr<Cursor> records_from(const Store& store, const Stream& stream, uint32_t slot, uint64_t commit) {
  const KeyRange range = stream_record_range(stream.id, slot, {.commit = commit}, kStreamEnd);
  return store.cursor(Space::kStreams, {.range = range, .fill_cache = false}, nullptr);
}

std::optional<int64_t> age_ms(const Cursor& cursor, int64_t now_ms) {
  if (!cursor.valid()) return std::nullopt;
  const auto record = read_stream_record(cursor.value());
  if (!record) return std::nullopt;
  return std::max<int64_t>(0, now_ms - record->created_ms);
}

// The number of a slot's records: exact if there are few, otherwise an estimate.
uint64_t count_from(const Store& store, const Stream& stream, uint32_t slot, Cursor& cursor) {
  uint64_t count = 0;
  for (; cursor.valid() && count < kCountedMax; cursor.next()) ++count;
  if (!cursor.valid()) return count;
  const KeyRange all = stream_record_range(stream.id, slot, {.commit = stream.trimmed_commit + 1}, kStreamEnd);
  return std::max(count, store.approximate_count(Space::kStreams, all));
}

}  // namespace

StreamFigures stream_figures(const Store& store, const Stream& stream, int64_t now_ms) {
  const StreamCounts& counts = *stream.counts;
  StreamFigures figures{.table_name = stream.table_name,
                        .written = counts.written.load(std::memory_order_relaxed),
                        .trimmed = counts.trimmed.load(std::memory_order_relaxed),
                        .reads = counts.reads.load(std::memory_order_relaxed),
                        .read = counts.read.load(std::memory_order_relaxed)};
  for (uint32_t slot = 0; slot < stream.slots; ++slot) {
    const auto oldest = records_from(store, stream, slot, stream.trimmed_commit + 1);
    figures.oldest_age_ms = std::max(figures.oldest_age_ms, age_ms(*oldest, now_ms));
    figures.records += count_from(store, stream, slot, *oldest);
    const uint64_t next = counts.next_commits[slot].load(std::memory_order_relaxed);
    if (next == 0) continue;
    const auto unread = records_from(store, stream, slot, std::max(next, stream.trimmed_commit + 1));
    figures.iterator_age_ms = std::max(figures.iterator_age_ms, std::optional(age_ms(*unread, now_ms).value_or(0)));
  }
  return figures;
}

}  // namespace trestle
