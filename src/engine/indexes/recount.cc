// Recounts items after a crash, when the counts saved at the last clean close are stale. Counts start at zero and
// follow the changes from now on; a background task adds the items of a snapshot taken now.
#include <functional>

#include "base/test_point.h"
#include "engine/parts.h"
#include "engine/vectors/vector_entry.h"

namespace trestle {
namespace {

constexpr size_t kEntriesPerRecountStep = 4096;

// Recounts one table.
class Recount {
 public:
  Recount(const Store& store, std::shared_ptr<const TableVersion> table, std::shared_ptr<const Snapshot> snapshot)
      : store_(store), table_(std::move(table)), snapshot_(std::move(snapshot)) {
    const TableDescription& description = table_->description;
    keyspaces_.push_back({description.keyspace, table_->counts.get(),
                          [&](std::string_view value) { return billed_bytes(description, ItemView(value)); }});
    for (size_t i = 0; i < table_->index_counts.size(); ++i) {
      keyspaces_.push_back({description.indexes[i].keyspace, table_->index_counts[i].get(),
                            [](std::string_view value) { return ItemView(value).size_bytes(); }});
    }
    for (size_t i = 0; i < table_->vector_counts.size(); ++i) {
      const VectorIndexDescription& index = description.vector_indexes[i];
      keyspaces_.push_back({index.keyspace, table_->vector_counts[i].get(),
                            [&](std::string_view value) { return entry_size_bytes(index, value); }});
    }
  }

  // Returns idle() when everything is counted.
  JobOutcome step() {
    if (keyspaces_.empty()) return JobOutcome::idle();
    const Keyspace& keyspace = keyspaces_.back();
    if (!cursor_) {
      items_ = bytes_ = 0;
      cursor_ =
          store_.cursor(Space::kItems, {.range = keyspace_range(keyspace.number), .fill_cache = false}, snapshot_);
    }
    for (size_t i = 0; i < kEntriesPerRecountStep && cursor_->valid(); ++i, cursor_->next()) {
      ++items_;
      bytes_ += static_cast<int64_t>(keyspace.bytes_of(cursor_->value()));
    }
    if (cursor_->valid()) return JobOutcome::worked();
    const bool read_all = cursor_->status().has_value();
    cursor_.reset();
    if (!read_all) return JobOutcome::failed();
    TRESTLE_TEST_POINT("recount.add");
    keyspace.counts->add(items_, bytes_);
    keyspaces_.pop_back();
    return keyspaces_.empty() ? JobOutcome::idle() : JobOutcome::worked();
  }

 private:
  struct Keyspace {
    uint32_t number;
    KeyspaceCounts* counts;
    std::function<size_t(std::string_view value)> bytes_of;
  };
  const Store& store_;
  const std::shared_ptr<const TableVersion> table_;
  const std::shared_ptr<const Snapshot> snapshot_;
  std::vector<Keyspace> keyspaces_;  // still to be counted
  std::unique_ptr<Cursor> cursor_;   // in the last of them
  int64_t items_ = 0;
  int64_t bytes_ = 0;
};

// Corrects the size of a table whose vector indexes have changed, because indexed vectors count differently. Writes
// after the snapshot are already counted by the rules of the new version.
class Resize {
 public:
  Resize(const Store& store, std::shared_ptr<const TableVersion> before, std::shared_ptr<const TableVersion> after)
      : store_(store), before_(std::move(before)), after_(std::move(after)), snapshot_(store.snapshot()) {}

  // Returns idle() when everything is counted.
  JobOutcome step() {
    if (!cursor_) {
      bytes_ = 0;
      cursor_ = store_.cursor(Space::kItems,
                              {.range = keyspace_range(after_->description.keyspace), .fill_cache = false}, snapshot_);
    }
    for (size_t i = 0; i < kEntriesPerRecountStep && cursor_->valid(); ++i, cursor_->next()) {
      const ItemView item(cursor_->value());
      bytes_ += static_cast<int64_t>(billed_bytes(after_->description, item)) -
                static_cast<int64_t>(billed_bytes(before_->description, item));
    }
    if (cursor_->valid()) return JobOutcome::worked();
    const bool read_all = cursor_->status().has_value();
    cursor_.reset();
    if (!read_all) return JobOutcome::failed();
    TRESTLE_TEST_POINT("resize.add");
    after_->counts->add(0, bytes_);
    return JobOutcome::idle();
  }

 private:
  const Store& store_;
  const std::shared_ptr<const TableVersion> before_;
  const std::shared_ptr<const TableVersion> after_;
  const std::shared_ptr<const Snapshot> snapshot_;
  std::unique_ptr<Cursor> cursor_;
  int64_t bytes_ = 0;
};

// Counts a backup, whose items do not change.
class BackupRecount {
 public:
  BackupRecount(Catalog& catalog, const Store& store, std::shared_ptr<const Backup> backup)
      : catalog_(catalog), store_(store), backup_(std::move(backup)) {}

  // Returns idle() when the counts are saved.
  JobOutcome step() {
    if (!cursor_) {
      items_ = bytes_ = 0;
      cursor_ =
          store_.cursor(Space::kItems, {.range = keyspace_range(backup_->keyspace), .fill_cache = false}, nullptr);
    }
    for (size_t i = 0; i < kEntriesPerRecountStep && cursor_->valid(); ++i, cursor_->next()) {
      ++items_;
      bytes_ += static_cast<int64_t>(billed_bytes(backup_->table, ItemView(cursor_->value())));
    }
    if (cursor_->valid()) return JobOutcome::worked();
    const bool read_all = cursor_->status().has_value();
    cursor_.reset();
    if (!read_all) return JobOutcome::failed();
    return catalog_.correct_counts(backup_->arn, items_, bytes_) ? JobOutcome::idle() : JobOutcome::failed();
  }

 private:
  Catalog& catalog_;
  const Store& store_;
  const std::shared_ptr<const Backup> backup_;
  std::unique_ptr<Cursor> cursor_;
  int64_t items_ = 0;
  int64_t bytes_ = 0;
};

}  // namespace

void recount_backups(EngineParts& parts) {
  for (const auto& backup : parts.catalog->recovery().backups()) {
    if (!backup->counts_pending) continue;
    parts.background.add("recount backup " + std::to_string(backup->keyspace),
                         [recount = std::make_shared<BackupRecount>(*parts.catalog, *parts.store, backup)](JobRun&) {
                           return recount->step();
                         });
  }
}

void resize(EngineParts& parts, const std::shared_ptr<const TableVersion>& before,
            const std::shared_ptr<const TableVersion>& after) {
  const auto keyspaces_of = [](const TableVersion& table) {
    std::vector<uint32_t> keyspaces;
    for (const auto& index : table.description.vector_indexes) keyspaces.push_back(index.keyspace);
    return keyspaces;
  };
  if (keyspaces_of(*before) == keyspaces_of(*after)) return;
  ++parts.recounts_left;
  parts.background.add("resize " + std::to_string(parts.resizes++),
                       [&parts, resize = std::make_shared<Resize>(*parts.store, before, after)](JobRun&) {
                         const JobOutcome outcome = resize->step();
                         if (outcome.kind == JobOutcome::Kind::kIdle) --parts.recounts_left;
                         return outcome;
                       });
}

void recount(EngineParts& parts) {
  const auto snapshot = parts.store->snapshot();
  for (const auto& table : parts.catalog->tables()) {
    ++parts.recounts_left;
    parts.background.add("recount " + std::to_string(table->description.keyspace),
                         [&parts, recount = std::make_shared<Recount>(*parts.store, table, snapshot)](JobRun&) {
                           const JobOutcome outcome = recount->step();
                           if (outcome.kind == JobOutcome::Kind::kIdle) --parts.recounts_left;
                           return outcome;
                         });
  }
}

}  // namespace trestle
