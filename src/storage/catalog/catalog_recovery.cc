// The catalog's functions for recovery: holds on histories, backups and restores.
#include <algorithm>
#include <mutex>

#include "base/bytes.h"
#include "storage/catalog/catalog.h"
#include "storage/catalog/table_encoding.h"

namespace trestle {
namespace {

constexpr std::string_view kHistoryTimeKey = "T";

std::unexpected<Error> no_such_table(const std::string& name) {
  return failure(ErrorCode::kTableNotFound, "Table not found: " + name);
}

}  // namespace

void Catalog::assign_history_keyspace(TableDescription& table, bool is_held, Change& change) {
  const bool must_record = table.recovery || is_held;
  if (must_record && table.history_keyspace == 0) {
    table.history_keyspace = next_keyspace_++;
    put_next_keyspace(change.batch);
  } else if (!must_record && table.history_keyspace != 0) {
    drop(table.history_keyspace, change);
    table.history_keyspace = 0;
  }
}

Result<HistoryHold> Catalog::hold_history(const HoldRequest& request) {
  MutexLock lock(change_mutex_);
  const auto old = find(request.table_name);
  const bool is_requested_table = old && (request.table_id.empty() || old->description.id == request.table_id);
  if (!is_requested_table) return no_such_table(request.table_name);
  TableDescription table = old->description;
  if (request.time_ms && !table.recovery) {
    return failure(ErrorCode::kPointInTimeRecoveryUnavailable,
                   "Point in time recovery is not enabled for table '" + table.name + "'");
  }
  Change change(store_);
  HistoryHold hold{.id = next_keyspace_++,  // hold ids share the counter of keyspaces, so they are unique
                   .owner = request.owner,
                   .table_name = table.name,
                   .table_id = table.id,
                   .keyspace = table.keyspace};
  assign_history_keyspace(table, true, change);
  put_next_keyspace(change.batch);
  hold.history_keyspace = table.history_keyspace;
  if (request.time_ms) {
    hold.moment.time_ms = *request.time_ms;
    hold.trimmed_ms = *request.time_ms;
    RecoveryCatalog::put(hold, change.batch);
    TRY_INTO(const Committed committed, commit(change, table.name));
    recovery_.publish(hold);
    TRY(committed.durable);
    return hold;
  }
  // Writes in progress finish before the moment; later ones are recorded.
  std::unique_lock writers(old->gate->writers);
  change.batch.put(Space::kCatalog, 't' + table.name, encode_table(table));
  const auto moment = request.begin_commit();
  hold.moment.commit = moment.commit;
  hold.trimmed_ms = moment.time_ms - 1;
  RecoveryCatalog::put(hold, change.batch);
  TRY_INTO(const Committed committed, commit(change, table.name, moment.commit));
  recovery_.publish(hold);
  publish(std::move(table));
  TRY(committed.durable);
  return hold;
}

Result<void> Catalog::release_history(uint32_t id) {
  MutexLock lock(change_mutex_);
  const auto hold = recovery_.hold(id);
  if (!hold) return {};
  Change change(store_);
  RecoveryCatalog::erase(*hold, change.batch);
  const auto holds = recovery_.holds();
  const bool is_last = std::ranges::none_of(
      holds, [&](const auto& other) { return other->id != id && other->table_id == hold->table_id; });
  const auto old = find(hold->table_name);
  if (!is_last || !old || old->description.id != hold->table_id || old->description.recovery) {
    TRY_INTO(const Committed committed, commit(change, hold->table_name));
    recovery_.forget(*hold);
    return committed.durable;
  }
  TableDescription table = old->description;
  assign_history_keyspace(table, false, change);
  std::unique_lock writers(old->gate->writers);
  change.batch.put(Space::kCatalog, 't' + table.name, encode_table(table));
  TRY_INTO(const Committed committed, commit(change, table.name));
  recovery_.forget(*hold);
  publish(std::move(table));
  return committed.durable;
}

Result<void> Catalog::add_backup(Backup& backup) {
  MutexLock lock(change_mutex_);
  Change change(store_);
  backup.keyspace = next_keyspace_++;
  put_next_keyspace(change.batch);
  RecoveryCatalog::put(backup, change.batch);
  TRY_INTO(const Committed committed, commit(change, {}));
  recovery_.publish(backup);
  return committed.durable;
}

Result<void> Catalog::remove_backup(const Backup& backup) {
  MutexLock lock(change_mutex_);
  Change change(store_);
  RecoveryCatalog::erase(backup, change.batch);
  drop(backup.keyspace, change);
  TRY_INTO(const Committed committed, commit(change, {}));
  recovery_.forget(backup);
  return committed.durable;
}

Result<void> Catalog::correct_counts(const std::string& backup_arn, int64_t items, int64_t bytes) {
  MutexLock lock(change_mutex_);
  const auto old = recovery_.backup(backup_arn);
  if (!old) return {};
  Backup backup = *old;
  backup.items = backup.table.item_count = items;
  backup.bytes = backup.table.size_bytes = bytes;
  backup.counts_pending = false;
  Change change(store_);
  RecoveryCatalog::put(backup, change.batch);
  TRY_INTO(const Committed committed, commit(change, {}));
  recovery_.publish(std::move(backup));
  return committed.durable;
}

Result<std::shared_ptr<const TableVersion>> Catalog::create_restored(TableDescription table, const Restore& restore) {
  return create(std::move(table), {.put = [&](Batch& batch) { RecoveryCatalog::put(restore, batch); },
                                   .publish = [&] { recovery_.publish(restore); }});
}

Result<void> Catalog::remove_restore(const Restore& restore) {
  MutexLock lock(change_mutex_);
  Change change(store_);
  RecoveryCatalog::erase(restore, change.batch);
  TRY_INTO(const Committed committed, commit(change, {}));
  recovery_.forget(restore);
  return committed.durable;
}

Result<int64_t> Catalog::load_history_time_ms() const {
  PinnedBytes value;
  TRY_INTO(const bool found, store_.get(Space::kCatalog, kHistoryTimeKey, value));
  if (!found) return 0;
  if (value.view().size() != 8) return failure(ErrorCode::kInternal, "The stored time of the history is damaged.");
  return static_cast<int64_t>(load_u64_be(value.view().data()));
}

Result<void> Catalog::save_history_time_ms(int64_t time_ms) {
  std::string value;
  append_u64_be(value, static_cast<uint64_t>(time_ms));
  Batch batch(store_);
  batch.put(Space::kCatalog, kHistoryTimeKey, value);
  TRY(store_.commit(batch));
  return {};
}

}  // namespace trestle
