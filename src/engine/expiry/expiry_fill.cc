#include "engine/expiry/expiry_fill.h"

#include "base/test_point.h"
#include "engine/expiry/expiry_index.h"
#include "engine/expiry/expiry_sweeper.h"

namespace trestle {
namespace {

constexpr size_t kItemsPerCommit = 64;
constexpr size_t kCommitsAtOnce = 4;  // a small table is filled before UpdateTimeToLive answers
constexpr size_t kCommitsPerFillStep = 16;

// Adds the entries that these items have now; with no items, the fill is done. idle(): it is done, or not ours to go
// on.
JobOutcome fill_expiry_of(EngineParts& parts, const std::string& table_name, const std::string& table_id,
                          const std::vector<std::string>& keys, const std::string& done_up_to) {
  MutexLock setting(parts.time_to_live_mutex);
  const auto table = parts.catalog->open_for_write(table_name);
  if (!table || (*table)->description.id != table_id || !(*table)->description.ttl_attribute) {
    return JobOutcome::idle();
  }
  const TableDescription& description = (*table)->description;
  const std::string note_key = expiry_filling_key(description.keyspace);
  PinnedBytes note;
  const auto noted = parts.store->get(Space::kExpiry, note_key, note);
  if (!noted.has_value()) return JobOutcome::failed();
  if (!*noted || note.view() != done_up_to) return JobOutcome::idle();

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
    batch.erase(Space::kExpiry, note_key);
  } else {
    batch.put(Space::kExpiry, note_key, keys.back());
  }
  if (!parts.store->commit(batch).has_value()) return JobOutcome::failed();
  parts.sweeper->note(earliest);
  return keys.empty() ? JobOutcome::idle() : JobOutcome::worked();
}

JobOutcome fill_expiry(EngineParts& parts, const std::string& table_name, const std::string& table_id,
                       size_t commits_max) {
  const auto table = parts.catalog->find(table_name);
  if (!table || table->description.id != table_id) return JobOutcome::idle();
  const uint32_t keyspace = table->description.keyspace;
  PinnedBytes note;
  const auto found = parts.store->get(Space::kExpiry, expiry_filling_key(keyspace), note);
  if (!found.has_value()) return JobOutcome::failed();
  if (!*found) return JobOutcome::idle();
  std::string done_up_to(note.view());
  auto cursor =
      parts.store->cursor(Space::kItems, {.range = keyspace_range(keyspace), .after = done_up_to, .fill_cache = false},
                          parts.store->snapshot());
  for (size_t commits = 0; commits < commits_max && !parts.jobs.stopping(); ++commits) {
    TRESTLE_TEST_POINT("expiry_fill.commit");
    std::vector<std::string> keys;
    for (; cursor->valid() && keys.size() < kItemsPerCommit; cursor->next()) keys.emplace_back(cursor->key());
    if (!cursor->status().has_value()) return JobOutcome::failed();
    const JobOutcome filled = fill_expiry_of(parts, table_name, table_id, keys, done_up_to);
    if (!filled.has_worked() || keys.empty()) return filled;
    done_up_to = keys.back();
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
  (void)fill_expiry(parts, table.description.name, table.description.id, kCommitsAtOnce);
  if (!is_filling_expiry(parts, table)) return;
  parts.background.add("fill expiry " + std::to_string(table.description.keyspace),
                       [&parts, name = table.description.name, id = table.description.id](JobRun&) {
                         return fill_expiry(parts, name, id, kCommitsPerFillStep);
                       });
}

bool is_filling_expiry(const TableParts& parts, const TableVersion& table) {
  if (!table.description.ttl_attribute) return false;
  PinnedBytes note;
  const auto found = parts.store->get(Space::kExpiry, expiry_filling_key(table.description.keyspace), note);
  return found.has_value() && *found;
}

}  // namespace trestle
