#include "engine/expiry/expiry_fill.h"

#include "base/test_point.h"
#include "engine/expiry/expiry_index.h"
#include "engine/expiry/expiry_sweeper.h"
#include "engine/jobs/unsynced_work.h"

namespace trestle {
namespace {

// While a commit is made, writes of its items, and of other items that share their locks, wait.
constexpr size_t kItemsPerCommit = 32;
constexpr size_t kCommitsAtOnce = 8;        // so a small table is filled before UpdateTimeToLive returns
constexpr size_t kCommitsPerFillStep = 32;  // with one cursor

struct ExpiryFill {
  EngineParts& parts;
  std::string table_name;
  std::string table_id;
  UnsyncedWork unsynced = {};
};

// Adds the current entries of these items. Without items, ends the fill. Returns idle() if the fill has ended, or was
// replaced by a newer one.
JobOutcome fill_entries(ExpiryFill& fill, JobRun* run, const std::vector<std::string>& keys,
                        const std::string& done_up_to) {
  EngineParts& parts = fill.parts;
  MutexLock setting(parts.time_to_live_mutex);
  const auto table = parts.catalog->open_for_write(fill.table_name);
  if (!table || (*table)->description.id != fill.table_id || !(*table)->description.ttl_attribute) {
    return JobOutcome::idle();
  }
  const TableDescription& description = (*table)->description;
  const std::string cursor_key = expiry_filling_key(description.keyspace);
  PinnedBytes stored_cursor;
  const auto found_cursor = parts.store->get(Space::kExpiry, cursor_key, stored_cursor);
  if (!found_cursor.has_value()) return JobOutcome::failed();
  if (!*found_cursor || stored_cursor.view() != done_up_to) return JobOutcome::idle();

  const auto locks = parts.locks.lock_all(keys);
  Batch batch(*parts.store);
  uint64_t earliest = UINT64_MAX;
  PinnedBytes bytes;
  for (const std::string& key : keys) {
    const auto found = parts.store->get(Space::kItems, key, bytes);
    if (!found.has_value()) return JobOutcome::failed();
    if (!*found) continue;
    if (const auto seconds = change_expiry(description, key, ItemView(), ItemView(bytes.view()), batch)) {
      earliest = std::min(earliest, *seconds);
    }
  }
  if (keys.empty()) {
    batch.erase(Space::kExpiry, cursor_key);
  } else {
    batch.put(Space::kExpiry, cursor_key, keys.back());
  }
  const auto commit = parts.store->commit(batch);
  if (!commit.has_value()) return JobOutcome::failed();
  parts.sweeper->note(earliest);
  if (run != nullptr) fill.unsynced.add(*parts.store, *commit, batch.size_bytes(), *run);
  return keys.empty() ? JobOutcome::idle() : JobOutcome::worked();
}

// A null `run` means that a request is waiting: no pauses.
JobOutcome fill_expiry(ExpiryFill& fill, JobRun* run, size_t commits_max) {
  EngineParts& parts = fill.parts;
  const auto table = parts.catalog->find(fill.table_name);
  if (!table || table->description.id != fill.table_id) return JobOutcome::idle();
  const uint32_t keyspace = table->description.keyspace;
  PinnedBytes stored_cursor;
  const auto found = parts.store->get(Space::kExpiry, expiry_filling_key(keyspace), stored_cursor);
  if (!found.has_value()) return JobOutcome::failed();
  if (!*found) return JobOutcome::idle();
  std::string done_up_to(stored_cursor.view());
  auto cursor =
      parts.store->cursor(Space::kItems, {.range = keyspace_range(keyspace), .after = done_up_to, .fill_cache = false},
                          parts.store->snapshot());
  for (size_t commits = 0; commits < commits_max && !parts.jobs.stopping(); ++commits) {
    if (run != nullptr && !fill.unsynced.wait(*parts.store, *run).has_value()) return JobOutcome::failed();
    std::vector<std::string> keys;
    for (; cursor->valid() && keys.size() < kItemsPerCommit; cursor->next()) keys.emplace_back(cursor->key());
    if (!cursor->status().has_value()) return JobOutcome::failed();
    TRESTLE_TEST_POINT("expiry_fill.commit");
    const JobOutcome filled = fill_entries(fill, run, keys, done_up_to);
    if (!filled.has_worked() || keys.empty()) return filled;
    done_up_to = keys.back();
    if (run != nullptr) run->pause();
  }
  return JobOutcome::worked();
}

}  // namespace

Result<void> reset_expiry(const TableParts& parts, uint32_t keyspace, bool to_fill) {
  Batch batch(*parts.store);
  batch.erase_range(Space::kExpiry, expiry_range(keyspace));
  if (to_fill) batch.put(Space::kExpiry, expiry_filling_key(keyspace), {});
  TRY_INTO(const uint64_t commit, parts.store->commit(batch));
  return parts.store->wait_durable(commit);
}

void start_expiry_fill(EngineParts& parts, const TableVersion& table) {
  if (!is_filling_expiry(parts, table)) return;
  ExpiryFill fill{.parts = parts, .table_name = table.description.name, .table_id = table.description.id};
  (void)fill_expiry(fill, nullptr, kCommitsAtOnce);
  if (!is_filling_expiry(parts, table)) return;
  parts.background.add(
      "fill expiry " + std::to_string(table.description.keyspace),
      [fill = std::move(fill)](JobRun& run) mutable { return fill_expiry(fill, &run, kCommitsPerFillStep); });
}

bool is_filling_expiry(const TableParts& parts, const TableVersion& table) {
  if (!table.description.ttl_attribute) return false;
  PinnedBytes stored_cursor;
  const auto found = parts.store->get(Space::kExpiry, expiry_filling_key(table.description.keyspace), stored_cursor);
  return found.has_value() && *found;
}

}  // namespace trestle
