#include "engine/recovery/recovery.h"

#include <algorithm>
#include <chrono>

#include "base/steady_us.h"
#include "base/test_point.h"
#include "engine/indexes/index_backfill.h"
#include "engine/items/index_delta.h"
#include "engine/parts.h"
#include "engine/recovery/continuous_backups.h"
#include "engine/recovery/history_holds.h"
#include "engine/tables/dropped_keyspaces.h"
#include "engine/vectors/vector_entry.h"

namespace trestle {
namespace {

// History is retained a little longer than the recovery period, so that it still exists when an accepted restore
// begins.
constexpr int64_t kSlackMs = 60 * 1000;

}  // namespace

Recovery::Recovery(EngineParts& parts, RecoveryOptions options)
    : parts_(parts),
      options_(options),
      job_(parts.jobs.add(periodic_job("recovery", options.interval_ms, options.pause_factor_max),
                          [this](JobRun& run) { return step(run); })) {}

void Recovery::resume() {
  Catalog& catalog = *parts_.catalog;
  const RecoveryCatalog& recovery = catalog.recovery();
  for (const auto& restore : recovery.restores()) {
    const auto table = catalog.find(restore->table_name);
    const bool can_continue = table && table->description.id == restore->table_id && table->description.restore;
    if (!can_continue) (void)catalog.remove_restore(*restore);
  }
  for (const auto& hold : recovery.holds()) {
    const bool is_ours = hold->owner.starts_with("backup ") || hold->owner.starts_with("restore ");
    const auto backups = recovery.backups();
    const auto restores = recovery.restores();
    const auto has_it = [&](const auto& job) { return job->hold == hold->id; };
    if (is_ours && std::ranges::none_of(backups, has_it) && std::ranges::none_of(restores, has_it)) {
      release_later(hold->id);
    }
  }
  run_due_work();
  start_freeing(parts_);
}

JobOutcome Recovery::step(JobRun& run) {
  const RecoveryCatalog& recovery = parts_.catalog->recovery();
  bool worked = false;
  bool failed = false;
  const auto work = [&](const auto& job) {
    if (run.stopping()) return;
    TRESTLE_TEST_POINT("recovery.page");
    const bool done = unsynced_.wait(*parts_.store, run).has_value() && step(*job, run).has_value();
    (done ? worked : failed) = true;
    run.pause();
  };
  for (const auto& backup : recovery.backups()) {
    if (backup->status == BackupStatus::kCreating) work(backup);
  }
  for (const auto& restore : recovery.restores()) work(restore);
  if (options_.interval_ms > 0 && steady_us() - due_work_us_ >= options_.interval_ms * 1000) {
    run_due_work();
    due_work_us_ = steady_us();
  }
  if (worked) return JobOutcome::worked();
  return failed ? JobOutcome::failed() : JobOutcome::idle();
}

Result<void> Recovery::step(const Backup& backup, const JobRun& run) {
  const auto hold = parts_.catalog->recovery().hold(backup.hold);
  if (!hold) return parts_.catalog->remove_backup(backup);  // without the hold, the items cannot be copied any more
  Backup next = backup;
  Batch batch(*parts_.store);
  batch.set_unread();
  const TableAt table(*parts_.store, *hold);
  TRY_INTO(const auto step, table.read(backup.cursor, options_.page, [&](std::string_view key, ItemView item) {
    batch.put(Space::kItems, key_in_keyspace(backup.keyspace, key), item.bytes());
    ++next.items;
    next.bytes += static_cast<int64_t>(item.size_bytes());
  }));
  next.cursor = step.cursor;
  if (step.done) {
    next.status = BackupStatus::kAvailable;
    next.cursor.clear();
    next.hold = 0;
    next.table.item_count = next.items;
    next.table.size_bytes = next.bytes;
  }
  TRY_INTO(const uint64_t commit, parts_.catalog->save_progress(std::move(next), batch));
  unsynced_.add(*parts_.store, commit, batch.size_bytes(), run);
  if (!step.done) return {};
  return release_history(parts_, hold->id);
}

Result<void> Recovery::step(const Restore& restore, const JobRun& run) {
  Catalog& catalog = *parts_.catalog;
  // Open for writing, so that a concurrent deletion of the table waits for this page.
  auto opened = catalog.open_for_write(restore.table_name);
  if (!opened || (*opened)->description.id != restore.table_id || !(*opened)->description.restore) {
    opened.reset();
    return finish(restore);  // of an earlier attempt to finish, or of a table that was deleted
  }
  const WritableTable& target = *opened;
  const auto hold = catalog.recovery().hold(restore.hold);
  const TableAt table =
      hold ? TableAt(*parts_.store, *hold) : TableAt(*parts_.store, restore.source_keyspace, 0, HistoryMoment{});
  const TableDescription& description = target->description;
  struct AddedCounts {
    int64_t items = 0;
    int64_t bytes = 0;
    void add(size_t item_bytes) {
      ++items;
      bytes += static_cast<int64_t>(item_bytes);
    }
  };
  AddedCounts added;
  std::vector<AddedCounts> added_to_indexes(description.indexes.size());
  Restore next = restore;
  Batch batch(*parts_.store);
  batch.set_unread();
  // There are no other writers until the table is ACTIVE.
  TRY_INTO(const auto step, table.read(restore.cursor, options_.page, [&](std::string_view key, ItemView item) {
    batch.put(Space::kItems, key_in_keyspace(description.keyspace, key), item.bytes());
    added.add(billed_bytes(description, item));
    for (size_t i = 0; i < description.indexes.size(); ++i) {
      const auto entry = index_entry(description, description.indexes[i], item);
      if (!entry) continue;
      batch.put(Space::kItems, entry->key, entry->item.bytes());
      added_to_indexes[i].add(entry->item.size_bytes());
    }
  }));
  next.cursor = step.cursor;
  next.items += added.items;
  TRY_INTO(const uint64_t commit, catalog.save_progress(std::move(next), batch));
  unsynced_.add(*parts_.store, commit, batch.size_bytes(), run);
  target->counts->add(added.items, added.bytes);
  for (size_t i = 0; i < added_to_indexes.size(); ++i) {
    target->index_counts[i]->add(added_to_indexes[i].items, added_to_indexes[i].bytes);
  }
  opened.reset();
  if (!step.done) return {};
  TRY(catalog.change(restore.table_name, [&](TableDescription table_now) -> Result<TableDescription> {
    if (table_now.id != restore.table_id)
      return failure(ErrorCode::kResourceNotFound, "The table was replaced by another table");
    table_now.status = Status::kActive;
    table_now.restore.reset();
    for (IndexDescription& index : table_now.indexes) index.status = Status::kActive;
    return table_now;
  }));
  TRESTLE_TEST_POINT("restore.finish");
  return finish(restore);
}

Result<void> Recovery::finish(const Restore& restore) {
  const auto table = parts_.catalog->find(restore.table_name);
  if (table && table->description.id == restore.table_id) start_backfill(parts_, *table);
  TRY(parts_.catalog->remove_restore(restore));
  if (restore.hold != 0) return release_history(parts_, restore.hold);
  start_freeing(parts_);  // the backup may have been deleted since the table became ACTIVE
  return {};
}

void Recovery::release_later(uint32_t hold) {
  MutexLock lock(unreleased_mutex_);
  unreleased_.insert(hold);
}

void Recovery::release_now() {
  std::set<uint32_t> holds;
  {
    MutexLock lock(unreleased_mutex_);
    holds.swap(unreleased_);
  }
  for (const uint32_t hold : holds) (void)release_history(parts_, hold);  // on failure, calls release_later() again
}

void Recovery::run_due_work() {
  release_now();
  Catalog& catalog = *parts_.catalog;
  const int64_t now_ms = parts_.options.clock->now_ms();
  const auto holds = catalog.recovery().holds();
  std::map<uint32_t, int64_t> cutoffs;
  for (const auto& table : catalog.tables()) {
    const TableDescription& description = table->description;
    if (description.history_keyspace == 0) continue;
    int64_t cutoff_ms = now_ms - kSlackMs;
    if (description.recovery) cutoff_ms -= recovery_period_ms(*description.recovery);
    for (const auto& hold : holds) {
      if (hold->history_keyspace == description.history_keyspace) cutoff_ms = std::min(cutoff_ms, hold->trimmed_ms);
    }
    cutoffs[description.history_keyspace] = cutoff_ms;
  }
  parts_.store->set_history_cutoffs(std::move(cutoffs));

  MutexLock lock(parts_.restore_mutex);  // excludes the beginning of a restore from an expired backup
  for (const auto& backup : catalog.recovery().backups()) {
    if (backup->expires_ms == 0 || backup->expires_ms > now_ms) continue;
    if (catalog.recovery().restore_from(backup->arn)) continue;
    (void)catalog.remove_backup(*backup);
    start_freeing(parts_);
  }

  const int64_t history_ms = parts_.history_clock.last_ms();
  if (history_ms > saved_history_ms_ && catalog.save_history_time_ms(history_ms).has_value())
    saved_history_ms_ = history_ms;
}

}  // namespace trestle
