#include "engine/expiry/expiry_sweeper.h"

#include <algorithm>

#include "base/test_point.h"
#include "engine/expiry/expiry_index.h"
#include "engine/items/item_changes.h"
#include "engine/parts.h"

namespace trestle {

ExpirySweeper::ExpirySweeper(EngineParts& parts, ExpirySweeperOptions options)
    : parts_(parts),
      options_(options),
      job_(parts.jobs.add(periodic_job("expiry", options.interval_ms, options.pause_factor_max),
                          [this](JobRun& run) { return sweep(run); })) {}

JobOutcome ExpirySweeper::sweep(JobRun& run) {
  const auto now = static_cast<uint64_t>(parts_.options.clock->now_ms() / 1000);
  // The floor is raised before the index is read, so that a concurrent entry is either seen or lowers the floor again.
  sweeping_from_ = floor_.load();  // before raising the floor, for concurrent calls of backlog()
  const uint64_t from = floor_.exchange(now + 1);
  const uint64_t oldest = now < kExpirySecondsBackMax ? 0 : now - kExpirySecondsBackMax;
  bool done = true;
  for (const auto& table : parts_.catalog->tables()) {
    if (!table->description.ttl_attribute) continue;
    done = sweep_table(*table, std::max(from, oldest), now, run) && done;
    if (run.stopping()) break;
  }
  if (!done || run.stopping()) note(from);
  sweeping_from_ = UINT64_MAX;
  lag_seconds_.store(0, std::memory_order_relaxed);
  return JobOutcome::idle();
}

bool ExpirySweeper::sweep_table(const TableVersion& table, uint64_t from, uint64_t now, JobRun& run) {
  const auto range = [&](uint64_t first) { return expiry_range(table.description.keyspace, first, now + 1); };
  if (from > now) return true;
  std::vector<std::string> entries;
  // Cursors are replaced from time to time, because an old cursor prevents RocksDB from dropping deleted entries.
  constexpr size_t kCommitsPerCursor = 64;
  std::string after;
  for (;;) {
    auto cursor =
        parts_.store->cursor(Space::kExpiry, {.range = range(from), .after = after, .fill_cache = false}, nullptr);
    for (size_t commits = 0; commits < kCommitsPerCursor; ++commits) {
      if (run.stopping() || !unsynced_.wait(*parts_.store, run).has_value()) return false;
      TRESTLE_TEST_POINT("expiry.commit");
      entries.clear();
      for (; cursor->valid() && entries.size() < options_.items_per_commit; cursor->next()) {
        entries.emplace_back(cursor->key());
      }
      if (!cursor->status().has_value()) return false;
      if (entries.empty()) return true;
      lag_seconds_.store(now - seconds_of(entries.front()), std::memory_order_relaxed);
      if (!delete_expired(table, entries, now, run)) return false;
      after = entries.back();
      run.pause();
    }
  }
}

ExpirySweeper::Backlog ExpirySweeper::backlog(const TableVersion& table, uint64_t most) const {
  const auto now = static_cast<uint64_t>(parts_.options.clock->now_ms() / 1000);
  const uint64_t oldest = now < kExpirySecondsBackMax ? 0 : now - kExpirySecondsBackMax;
  // Everything before the floor was swept, or is being swept by a sweep that started at the floor's previous value.
  const uint64_t from = std::max(oldest, std::min(floor_.load(), sweeping_from_.load()));
  const auto cursor = parts_.store->cursor(
      Space::kExpiry, {.range = expiry_range(table.description.keyspace, from, UINT64_MAX), .fill_cache = false},
      nullptr);
  Backlog backlog;
  for (; cursor->valid() && backlog.due < most; cursor->next()) {
    const uint64_t seconds = seconds_of(cursor->key());
    if (!backlog.next_due_seconds) {
      backlog.next_due_seconds = static_cast<int64_t>(seconds) - static_cast<int64_t>(now);
    }
    if (seconds > now) break;
    ++backlog.due;
  }
  return backlog;
}

// Returns false if the table or its setting has been replaced, or the store fails.
bool ExpirySweeper::delete_expired(const TableVersion& seen, const std::vector<std::string>& entries, uint64_t now,
                                   const JobRun& run) {
  const auto table = parts_.catalog->open_for_write(seen.description.name);
  if (!table || (*table)->description.id != seen.description.id) return false;
  const auto& attribute = (*table)->description.ttl_attribute;
  if (!attribute) return false;

  std::vector<std::string> keys;
  for (const std::string& entry : entries) keys.emplace_back(item_key_of(entry));
  const auto locks = parts_.locks.lock_all(keys);
  std::vector<std::unique_ptr<PinnedBytes>> old_items;  // must outlive `changes`, which refers to them
  ItemChanges changes(parts_, WriteOrigin::kTimeToLive);
  CapacityMeter meter((*table)->description.name, ReturnConsumedCapacity::kNone);
  uint64_t deleted = 0;
  for (size_t i = 0; i < entries.size(); ++i) {
    old_items.push_back(std::make_unique<PinnedBytes>());
    const auto found = parts_.store->get(Space::kItems, keys[i], *old_items.back());
    if (!found.has_value()) return false;
    const ItemView item = *found ? ItemView(old_items.back()->view()) : ItemView();
    const auto seconds = expiry_seconds(item, *attribute);
    if (seconds != seconds_of(entries[i])) {
      changes.batch().erase(Space::kExpiry, entries[i]);
    } else if (is_expired(*seconds, now)) {
      changes.add(**table, keys[i], item, ItemView(), meter);
      ++deleted;
    }
  }
  Call call;
  if (!changes.commit(call).has_value()) return false;
  unsynced_.add(*parts_.store, call.commit, changes.batch().size_bytes(), run);
  deleted_.fetch_add(deleted, std::memory_order_relaxed);
  return true;
}

}  // namespace trestle
