#include "engine/indexes/index_backfill.h"

#include <algorithm>

#include "base/test_point.h"
#include "engine/items/index_delta.h"
#include "engine/parts.h"
#include "engine/vectors/vector_entry.h"

namespace trestle {
namespace {

// Limits of one commit. While it is made, writes of its items, and of other items that share their locks, wait.
constexpr size_t kItemsPerBackfill = 32;
constexpr size_t kBytesPerBackfill = size_t{64} << 10;

// An entry of a global index or of a vector index.
struct BackfillEntry {
  std::string key;
  std::string value;
  size_t size_bytes = 0;
};

template <class Index>
std::optional<size_t> find_creating(const std::vector<Index>& indexes, uint32_t keyspace) {
  const auto found = std::ranges::find(indexes, keyspace, &Index::keyspace);
  if (found == indexes.end() || found->status != Status::kCreating) return std::nullopt;
  return static_cast<size_t>(found - indexes.begin());
}

}  // namespace

struct IndexBackfill::Place {
  bool is_vector = false;
  size_t position = 0;  // in the table's list of indexes of that kind

  KeyspaceCounts& counts(const TableVersion& table) const {
    return is_vector ? *table.vector_counts[position] : *table.index_counts[position];
  }
  // Nothing if the item does not belong in the index.
  std::optional<BackfillEntry> entry(const TableDescription& table, ItemView item) const {
    if (is_vector) {
      auto entry = vector_entry(table, table.vector_indexes[position], item);
      if (!entry) return std::nullopt;
      return BackfillEntry{std::move(entry->key), std::move(entry->value), entry->size_bytes};
    }
    const auto entry = index_entry(table, table.indexes[position], item);
    if (!entry) return std::nullopt;
    return BackfillEntry{entry->key, std::string(entry->item.bytes()), entry->item.size_bytes()};
  }
};

IndexBackfill::IndexBackfill(EngineParts& parts, const TableDescription& table, uint32_t index_keyspace)
    : parts_(parts),
      table_name_(table.name),
      table_id_(table.id),
      table_keyspace_(table.keyspace),
      keyspace_(index_keyspace) {}

std::optional<IndexBackfill::Place> IndexBackfill::find(const TableVersion& table) const {
  if (table.description.id != table_id_) return std::nullopt;
  if (const auto at = find_creating(table.description.indexes, keyspace_)) return Place{.position = *at};
  if (const auto at = find_creating(table.description.vector_indexes, keyspace_)) {
    return Place{.is_vector = true, .position = *at};
  }
  return std::nullopt;
}

bool IndexBackfill::needs_backfill() const {
  const auto table = parts_.catalog->find(table_name_);
  return table && find(*table);
}

JobOutcome IndexBackfill::step(JobRun& run) {
  if (!needs_backfill()) return JobOutcome::idle();
  if (!unsynced_.wait(*parts_.store, run).has_value()) return JobOutcome::failed();
  if (!cursor_) {
    cursor_ = parts_.store->cursor(Space::kItems, {.range = keyspace_range(table_keyspace_), .fill_cache = false},
                                   parts_.store->snapshot());
    keys_.clear();
  }
  size_t bytes = 0;
  for (; keys_.size() < kItemsPerBackfill && bytes < kBytesPerBackfill && cursor_->valid(); cursor_->next()) {
    keys_.emplace_back(cursor_->key());
    bytes += cursor_->value().size();
  }
  if (!keys_.empty()) {
    TRESTLE_TEST_POINT("backfill.commit");
    const FillOutcome filled = fill(run);
    if (filled == FillOutcome::kIndexIsGone) return JobOutcome::idle();
    if (filled == FillOutcome::kFailed) return JobOutcome::failed();  // the next step retries the same items
    keys_.clear();
  }
  if (cursor_->valid()) return JobOutcome::worked();
  if (!cursor_->status().has_value()) {
    cursor_.reset();
    return JobOutcome::failed();
  }
  return finish();
}

IndexBackfill::FillOutcome IndexBackfill::fill(const JobRun& run) {
  Store& store = *parts_.store;
  const auto table = parts_.catalog->open_for_write(table_name_);
  const auto place = table ? find(**table) : std::nullopt;
  if (!place) return FillOutcome::kIndexIsGone;
  const auto locks = parts_.locks.lock_all(keys_);
  Batch batch(store);
  batch.set_unread();
  int64_t items = 0;
  int64_t bytes = 0;
  PinnedBytes value;
  for (const std::string& key : keys_) {
    const auto found = store.get(Space::kItems, key, value);
    if (!found.has_value()) return FillOutcome::kFailed;
    if (!*found) continue;
    const auto entry = place->entry((*table)->description, ItemView(value.view()));
    if (!entry) continue;
    const auto existing = store.get(Space::kItems, entry->key, value);
    if (!existing.has_value()) return FillOutcome::kFailed;
    if (*existing) continue;  // written by a client's write or an earlier attempt
    batch.put(Space::kItems, entry->key, entry->value);
    ++items;
    bytes += static_cast<int64_t>(entry->size_bytes);
  }
  if (batch.empty()) return FillOutcome::kItems;
  const auto commit = store.commit(batch);
  if (!commit.has_value()) return FillOutcome::kFailed;
  place->counts(**table).add(items, bytes);
  unsynced_.add(store, *commit, batch.size_bytes(), run);
  return FillOutcome::kItems;
}

JobOutcome IndexBackfill::finish() {
  TRESTLE_TEST_POINT("backfill.finish");
  const auto changed = parts_.catalog->change(table_name_, [&](TableDescription now) -> Result<TableDescription> {
    if (now.id != table_id_) return failure(ErrorCode::kResourceNotFound, "The table was replaced by another table");
    if (const auto at = find_creating(now.indexes, keyspace_)) {
      now.indexes[*at].status = Status::kActive;
      now.indexes[*at].backfilling = false;
    } else if (const auto vector_at = find_creating(now.vector_indexes, keyspace_)) {
      now.vector_indexes[*vector_at].status = Status::kActive;
      now.vector_indexes[*vector_at].backfilling.reset();
    } else {
      return failure(ErrorCode::kResourceNotFound, "The index was deleted");
    }
    return now;
  });
  if (!changed.has_value() && needs_backfill()) return JobOutcome::failed();
  parts_.vectors->refresh();
  return JobOutcome::idle();
}

// ---- Starting backfills

void start_backfill(EngineParts& parts, const TableVersion& table) {
  if (table.description.status == Status::kCreating) return;  // a restore or an import fills its indexes itself
  const auto start = [&](uint32_t keyspace) {
    parts.background.add("backfill " + std::to_string(keyspace),
                         [fill = std::make_shared<IndexBackfill>(parts, table.description, keyspace)](JobRun& run) {
                           return fill->step(run);
                         });
  };
  for (const IndexDescription& index : table.description.indexes) {
    if (index.global && index.status == Status::kCreating) start(index.keyspace);
  }
  for (const VectorIndexDescription& index : table.description.vector_indexes) {
    if (index.status == Status::kCreating) start(index.keyspace);
  }
}

}  // namespace trestle
