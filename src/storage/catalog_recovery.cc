// The part of the catalog that is about recovery: holds on histories, backups and restores.
#include <algorithm>
#include <mutex>

#include "base/bytes.h"
#include "storage/catalog.h"
#include "storage/table_encoding.h"

namespace trestle {
namespace {

constexpr std::string_view kHistoryTimeKey = "T";

std::unexpected<Error> no_such_table(const std::string& name) {
  return failure(ErrorCode::kTableNotFound, "Table not found: " + name);
}

}  // namespace

void Catalog::settle_history(TableDescription& table, bool is_held, Batch& batch) {
  const bool records = table.recovery || is_held;
  if (records && table.history_keyspace == 0) {
    table.history_keyspace = next_keyspace_++;
    put_next_keyspace(batch);
  } else if (!records && table.history_keyspace != 0) {
    drop(table.history_keyspace, batch);
    table.history_keyspace = 0;
  }
}

Result<void> Catalog::commit_durably(Batch& batch, uint64_t number) {
  TRY_INTO(const uint64_t commit, store_.commit(batch, number));
  return store_.wait_durable(commit);
}

Result<HistoryHold> Catalog::hold_history(const HoldRequest& request) {
  MutexLock lock(change_mutex_);
  const auto old = find(request.table_name);
  if (!old) return no_such_table(request.table_name);
  TableDescription table = old->description;
  if (request.time_ms && !table.recovery) {
    return failure(ErrorCode::kPointInTimeRecoveryUnavailable,
                   "Point in time recovery is not enabled for table '" + table.name + "'");
  }
  Batch batch(store_);
  HistoryHold hold{.id = next_keyspace_++,  // a number that is nobody else's
                   .owner = request.owner,
                   .table_name = table.name,
                   .table_id = table.id,
                   .keyspace = table.keyspace};
  settle_history(table, true, batch);
  put_next_keyspace(batch);
  hold.history_keyspace = table.history_keyspace;
  if (request.time_ms) {
    hold.moment.time_ms = *request.time_ms;
    hold.trimmed_ms = *request.time_ms;
    RecoveryCatalog::put(hold, batch);
    TRY(commit(batch));
    recovery_.publish(hold);
    return hold;
  }
  // Writes under way finish before the moment; those that come next know that they are recorded.
  std::unique_lock writers(old->gate->writers);
  batch.put(Space::kCatalog, 't' + table.name, encode_table(table));
  const uint64_t number = store_.begin_commit();
  hold.moment.commit = number;
  hold.trimmed_ms = request.next_time_ms() - 1;
  RecoveryCatalog::put(hold, batch);
  TRY(commit_durably(batch, number));
  recovery_.publish(hold);
  publish(std::move(table));
  return hold;
}

Result<void> Catalog::release_history(uint32_t id) {
  MutexLock lock(change_mutex_);
  const auto hold = recovery_.hold(id);
  if (!hold) return {};
  Batch batch(store_);
  RecoveryCatalog::erase(*hold, batch);
  const auto holds = recovery_.holds();
  const bool is_last = std::ranges::none_of(
      holds, [&](const auto& other) { return other->id != id && other->table_id == hold->table_id; });
  const auto old = find(hold->table_name);
  if (!is_last || !old || old->description.id != hold->table_id || old->description.recovery) {
    TRY(commit(batch));
    recovery_.forget(*hold);
    return {};
  }
  TableDescription table = old->description;
  settle_history(table, false, batch);
  std::unique_lock writers(old->gate->writers);
  batch.put(Space::kCatalog, 't' + table.name, encode_table(table));
  TRY(commit(batch));
  recovery_.forget(*hold);
  publish(std::move(table));
  return {};
}

Result<void> Catalog::add_backup(Backup& backup) {
  MutexLock lock(change_mutex_);
  Batch batch(store_);
  backup.keyspace = next_keyspace_++;
  put_next_keyspace(batch);
  RecoveryCatalog::put(backup, batch);
  TRY(commit(batch));
  recovery_.publish(backup);
  return {};
}

Result<void> Catalog::remove_backup(const Backup& backup) {
  MutexLock lock(change_mutex_);
  Batch batch(store_);
  RecoveryCatalog::erase(backup, batch);
  drop(backup.keyspace, batch);
  TRY(commit(batch));
  recovery_.forget(backup);
  return {};
}

Result<void> Catalog::add_restore(const Restore& restore) {
  MutexLock lock(change_mutex_);
  Batch batch(store_);
  RecoveryCatalog::put(restore, batch);
  TRY(commit(batch));
  recovery_.publish(restore);
  return {};
}

Result<void> Catalog::remove_restore(const Restore& restore) {
  MutexLock lock(change_mutex_);
  Batch batch(store_);
  RecoveryCatalog::erase(restore, batch);
  TRY(commit(batch));
  recovery_.forget(restore);
  return {};
}

Result<int64_t> Catalog::load_history_time_ms() const {
  PinnedBytes value;
  TRY_INTO(const bool found, store_.get(Space::kCatalog, kHistoryTimeKey, value));
  return found && value.view().size() == 8 ? static_cast<int64_t>(load_u64_be(value.view().data())) : 0;
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
