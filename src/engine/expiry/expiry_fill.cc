// Fills the expiry index when a table with items gets time to live.
//
// From the moment the setting is in the catalog, every write maintains the index. The fill then walks the table in
// small commits, each under the locks of its items and with its cursor, so that a restart continues from there. A
// change of the setting starts with an empty index and a new cursor: a fill that finds a cursor other than its own
// leaves the work to its successor.
#include "base/test_point.h"
#include "engine/engine.h"
#include "engine/expiry/expiry_index.h"
#include "engine/expiry/expiry_sweeper.h"

namespace trestle {
namespace {

constexpr size_t kItemsPerCommit = 64;
constexpr size_t kCommitsAtOnce = 4;  // a small table is filled before UpdateTimeToLive answers
constexpr size_t kCommitsPerFillStep = 16;

}  // namespace

void Engine::start_expiry_fill(const TableVersion& table) {
  if (!is_filling_expiry(table)) return;
  (void)fill_expiry(table.description.name, table.description.id, kCommitsAtOnce);
  if (!is_filling_expiry(table)) return;
  background_.add("fill expiry " + std::to_string(table.description.keyspace),
                  [this, name = table.description.name, id = table.description.id](JobRun&) {
                    return fill_expiry(name, id, kCommitsPerFillStep);
                  });
}

bool Engine::is_filling_expiry(const TableVersion& table) const {
  if (!table.description.ttl_attribute) return false;
  PinnedBytes note;
  const auto found = store_->get(Space::kExpiry, expiry_filling_key(table.description.keyspace), note);
  return found.has_value() && *found;
}

JobOutcome Engine::fill_expiry(const std::string& table_name, const std::string& table_id, size_t commits_max) {
  const auto table = catalog_->find(table_name);
  if (!table || table->description.id != table_id) return JobOutcome::idle();
  const uint32_t keyspace = table->description.keyspace;
  PinnedBytes note;
  const auto found = store_->get(Space::kExpiry, expiry_filling_key(keyspace), note);
  if (!found.has_value()) return JobOutcome::failed();
  if (!*found) return JobOutcome::idle();
  std::string done_up_to(note.view());
  auto cursor = store_->cursor(
      Space::kItems, {.range = keyspace_range(keyspace), .after = done_up_to, .fill_cache = false}, store_->snapshot());
  for (size_t commits = 0; commits < commits_max && !jobs_.stopping(); ++commits) {
    TRESTLE_TEST_POINT("expiry_fill.commit");
    std::vector<std::string> keys;
    for (; cursor->valid() && keys.size() < kItemsPerCommit; cursor->next()) keys.emplace_back(cursor->key());
    if (!cursor->status().has_value()) return JobOutcome::failed();
    const JobOutcome filled = fill_expiry_of(table_name, table_id, keys, done_up_to);
    if (!filled.has_worked() || keys.empty()) return filled;
    done_up_to = keys.back();
  }
  return JobOutcome::worked();
}

// Adds the entries that these items have now; with no items, the fill is done. idle(): it is done, or not ours to go
// on.
JobOutcome Engine::fill_expiry_of(const std::string& table_name, const std::string& table_id,
                                  const std::vector<std::string>& keys, const std::string& done_up_to) {
  MutexLock setting(time_to_live_mutex_);
  const auto table = catalog_->open_for_write(table_name);
  if (!table || (*table)->description.id != table_id || !(*table)->description.ttl_attribute) {
    return JobOutcome::idle();
  }
  const TableDescription& description = (*table)->description;
  const std::string note_key = expiry_filling_key(description.keyspace);
  PinnedBytes note;
  const auto noted = store_->get(Space::kExpiry, note_key, note);
  if (!noted.has_value()) return JobOutcome::failed();
  if (!*noted || note.view() != done_up_to) return JobOutcome::idle();

  const auto locks = locks_.lock_all(keys);
  Batch batch(*store_);
  uint64_t earliest = UINT64_MAX;
  PinnedBytes bytes;
  for (const std::string& key : keys) {
    const auto found = store_->get(Space::kItems, key, bytes);
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
  if (!store_->commit(batch).has_value()) return JobOutcome::failed();
  sweeper_->note(earliest);
  return keys.empty() ? JobOutcome::idle() : JobOutcome::worked();
}

}  // namespace trestle
