// Filling the expiry index when a table with items gets time to live.
//
// From the moment the setting is in the catalog, every write maintains the index. The fill then walks the table in
// small commits, each under the locks of its items, and notes in each how far it is, so that a restart goes on from
// there. A change of the setting starts with an empty index and a new note: a fill that finds another note than its own
// leaves the work to the one that comes after it.
#include "engine/engine.h"
#include "engine/expiry_index.h"
#include "engine/expiry_sweeper.h"

namespace trestle {
namespace {

constexpr size_t kItemsPerCommit = 64;
constexpr size_t kCommitsAtOnce = 4;  // a small table is filled before UpdateTimeToLive answers

}  // namespace

void Engine::start_expiry_fill(const TableVersion& table) {
  if (!is_filling_expiry(table)) return;
  fill_expiry(table.description.name, table.description.id, kCommitsAtOnce);
  if (!is_filling_expiry(table)) return;
  background_.add(
      [this, name = table.description.name, id = table.description.id] { fill_expiry(name, id, SIZE_MAX); });
}

bool Engine::is_filling_expiry(const TableVersion& table) const {
  if (!table.description.ttl_attribute) return false;
  PinnedBytes note;
  const auto found = store_->get(Space::kExpiry, expiry_filling_key(table.description.keyspace), note);
  return found.has_value() && *found;
}

void Engine::fill_expiry(const std::string& table_name, const std::string& table_id, size_t commits_max) {
  const auto table = catalog_->find(table_name);
  if (!table || table->description.id != table_id) return;
  const uint32_t keyspace = table->description.keyspace;
  PinnedBytes note;
  const auto found = store_->get(Space::kExpiry, expiry_filling_key(keyspace), note);
  if (!found.has_value() || !*found) return;
  std::string done_up_to(note.view());
  auto cursor =
      store_->cursor(Space::kItems, {.range = keyspace_range(keyspace), .after = done_up_to, .fill_cache = false},
                     store_->snapshot());
  bool more = true;
  for (size_t commits = 0; more && commits < commits_max; ++commits) {
    if (background_.stopping()) return;
    std::vector<std::string> keys;
    for (; cursor->valid() && keys.size() < kItemsPerCommit; cursor->next()) keys.emplace_back(cursor->key());
    if (!cursor->status().has_value()) return;
    more = !keys.empty();
    if (!fill_expiry_of(table_name, table_id, keys, done_up_to)) return;
    if (more) done_up_to = keys.back();
  }
}

// Adds the entries that these items have now; with no items, the fill is done. False: it is not ours to go on.
bool Engine::fill_expiry_of(const std::string& table_name, const std::string& table_id,
                            const std::vector<std::string>& keys, const std::string& done_up_to) {
  MutexLock setting(time_to_live_mutex_);
  const auto table = catalog_->open_for_write(table_name);
  if (!table || (*table)->description.id != table_id || !(*table)->description.ttl_attribute) return false;
  const TableDescription& description = (*table)->description;
  const std::string note_key = expiry_filling_key(description.keyspace);
  PinnedBytes note;
  const auto noted = store_->get(Space::kExpiry, note_key, note);
  if (!noted.has_value() || !*noted || note.view() != done_up_to) return false;

  const auto locks = locks_.lock_all(keys);
  Batch batch(*store_);
  uint64_t earliest = UINT64_MAX;
  PinnedBytes bytes;
  for (const std::string& key : keys) {
    const auto found = store_->get(Space::kItems, key, bytes);
    if (!found.has_value()) return false;
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
  if (!store_->commit(batch).has_value()) return false;
  sweeper_->note(earliest);
  return true;
}

}  // namespace trestle
