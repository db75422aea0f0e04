#include "storage/catalog/recovery_catalog.h"

#include <mutex>

#include "base/bytes.h"
#include "storage/catalog/record_codec.h"
#include "storage/catalog/table_encoding.h"

namespace trestle {
namespace {

constexpr char kRecoveryFormat = 1;
constexpr char kRestoreFormat = 2;  // under a key with the table's id
constexpr char kBackupKey = 'b';
constexpr char kRestoreKey = 'R';
constexpr char kHoldKey = 'h';

std::string text_key(char kind, std::string_view text) { return kind + std::string(text); }

// No table name contains this character.
constexpr char kAfterName = '\0';

std::string restore_key(const Restore& restore) {
  std::string key = text_key(kRestoreKey, restore.table_name);
  if (!restore.is_keyed_by_name) key.append(1, kAfterName).append(restore.table_id);
  return key;
}

std::string hold_key(uint32_t id) {
  std::string key(1, kHoldKey);
  append_u32_be(key, id);
  return key;
}

template <class Codec, class T>
void hold_fields(Codec& codec, T& hold) {
  codec.text(hold.owner).text(hold.table_name).text(hold.table_id).u32(hold.keyspace).u32(hold.history_keyspace);
  codec.u64(hold.moment.commit).time(hold.moment.time_ms).time(hold.trimmed_ms);
}

// The table's description and counts, as stored in a backup.
struct StoredTable {
  std::string description;
  int64_t items = 0;
  int64_t bytes = 0;
};

template <class Codec, class T, class Table>
void backup_fields(Codec& codec, T& backup, Table& table) {
  codec.text(backup.name).code(backup.type, BackupType::kSystem).code(backup.status, BackupStatus::kAvailable);
  codec.count(backup.created_ms).count(backup.expires_ms).u32(backup.keyspace).u32(backup.hold);
  codec.count(backup.items).count(backup.bytes).text(backup.cursor);
  codec.text(table.description).count(table.items).count(table.bytes);
  if (codec.has_more(backup.counts_pending)) codec.flag(backup.counts_pending);
}

template <class Codec, class T>
void restore_fields(Codec& codec, T& restore) {
  codec.text(restore.table_id).u32(restore.source_keyspace).u32(restore.hold).text(restore.backup_arn);
  codec.text(restore.cursor).count(restore.items);
}

}  // namespace

std::string encode_hold(const HistoryHold& hold) {
  CatalogWriter writer(kRecoveryFormat);
  hold_fields(writer, hold);
  return writer.take();
}

Result<HistoryHold> decode_hold(uint32_t id, std::string_view bytes) {
  HistoryHold hold{.id = id};
  CatalogReader reader(bytes, kRecoveryFormat);
  hold_fields(reader, hold);
  TRY(reader.end("hold on a history"));
  return hold;
}

std::string encode_backup(const Backup& backup) {
  const StoredTable table{
      .description = encode_table(backup.table), .items = backup.table.item_count, .bytes = backup.table.size_bytes};
  CatalogWriter writer(kRecoveryFormat);
  backup_fields(writer, backup, table);
  return writer.take();
}

Result<Backup> decode_backup(std::string_view arn, std::string_view bytes) {
  Backup backup;
  backup.arn = arn;
  StoredTable table;
  CatalogReader reader(bytes, kRecoveryFormat);
  backup_fields(reader, backup, table);
  TRY(reader.end("backup"));
  TRY_INTO(backup.table, decode_table(table.description));
  backup.table.item_count = table.items;
  backup.table.size_bytes = table.bytes;
  return backup;
}

std::string encode_restore(const Restore& restore) {
  CatalogWriter writer(restore.is_keyed_by_name ? kRecoveryFormat : kRestoreFormat);
  restore_fields(writer, restore);
  return writer.take();
}

Result<Restore> decode_restore(std::string_view table_name, std::string_view bytes) {
  Restore restore;
  restore.table_name = table_name;
  // Unreleased versions wrote 01 under either key.
  CatalogReader reader(bytes, bytes.starts_with(kRestoreFormat) ? kRestoreFormat : kRecoveryFormat);
  restore_fields(reader, restore);
  TRY(reader.end("restore"));
  return restore;
}

Result<void> RecoveryCatalog::load() {
  auto cursor = store_.cursor(Space::kCatalog, {.range = kind_range(kBackupKey)}, nullptr);
  for (; cursor->valid(); cursor->next()) {
    TRY_INTO(Backup backup, decode_backup(cursor->key().substr(1), cursor->value()));
    publish(std::move(backup));
  }
  TRY(cursor->status());
  cursor = store_.cursor(Space::kCatalog, {.range = kind_range(kRestoreKey)}, nullptr);
  for (; cursor->valid(); cursor->next()) {
    const std::string_view key = cursor->key().substr(1);
    const size_t name_size = key.find(kAfterName);
    TRY_INTO(Restore restore, decode_restore(key.substr(0, name_size), cursor->value()));
    restore.is_keyed_by_name = name_size == key.npos;
    publish(std::move(restore));
  }
  TRY(cursor->status());
  cursor = store_.cursor(Space::kCatalog, {.range = kind_range(kHoldKey)}, nullptr);
  for (; cursor->valid(); cursor->next()) {
    if (cursor->key().size() != 5) return failure(ErrorCode::kInternal, "A stored hold on a history is damaged.");
    TRY_INTO(HistoryHold hold, decode_hold(load_u32_be(cursor->key().data() + 1), cursor->value()));
    publish(std::move(hold));
  }
  return cursor->status();
}

// ---- Reading

namespace {

template <class Map, class Key>
typename Map::mapped_type find_in(const Map& map, const Key& key) {
  const auto found = map.find(key);
  return found == map.end() ? nullptr : found->second;
}

template <class Map>
std::vector<typename Map::mapped_type> values_of(const Map& map) {
  std::vector<typename Map::mapped_type> values;
  values.reserve(map.size());
  for (const auto& [key, value] : map) values.push_back(value);
  return values;
}

}  // namespace

std::shared_ptr<const Backup> RecoveryCatalog::backup(std::string_view arn) const {
  std::shared_lock lock(mutex_);
  return find_in(backups_, arn);
}
std::shared_ptr<const Restore> RecoveryCatalog::restore(std::string_view table_id) const {
  std::shared_lock lock(mutex_);
  return find_in(restores_, table_id);
}
std::shared_ptr<const HistoryHold> RecoveryCatalog::hold(uint32_t id) const {
  std::shared_lock lock(mutex_);
  return find_in(holds_, id);
}
std::vector<std::shared_ptr<const Backup>> RecoveryCatalog::backups() const {
  std::shared_lock lock(mutex_);
  return values_of(backups_);
}
std::vector<std::shared_ptr<const Restore>> RecoveryCatalog::restores() const {
  std::shared_lock lock(mutex_);
  return values_of(restores_);
}
std::vector<std::shared_ptr<const HistoryHold>> RecoveryCatalog::holds() const {
  std::shared_lock lock(mutex_);
  return values_of(holds_);
}

std::shared_ptr<const Restore> RecoveryCatalog::restore_from(std::string_view backup_arn) const {
  std::shared_lock lock(mutex_);
  for (const auto& [table_id, restore] : restores_) {
    if (restore->backup_arn == backup_arn) return restore;
  }
  return nullptr;
}

bool RecoveryCatalog::is_read(uint32_t keyspace) const {
  std::shared_lock lock(mutex_);
  for (const auto& [id, hold] : holds_) {
    if (hold->keyspace == keyspace || hold->history_keyspace == keyspace) return true;
  }
  for (const auto& [table_id, restore] : restores_) {
    if (restore->source_keyspace == keyspace) return true;
  }
  return false;
}

bool RecoveryCatalog::has_hold(std::string_view table_id) const {
  std::shared_lock lock(mutex_);
  for (const auto& [id, hold] : holds_) {
    if (hold->table_id == table_id) return true;
  }
  return false;
}

// ---- Edits

void RecoveryCatalog::put(const Backup& backup, Batch& batch) {
  batch.put(Space::kCatalog, text_key(kBackupKey, backup.arn), encode_backup(backup));
}
void RecoveryCatalog::put(const Restore& restore, Batch& batch) {
  batch.put(Space::kCatalog, restore_key(restore), encode_restore(restore));
}
void RecoveryCatalog::put(const HistoryHold& hold, Batch& batch) {
  batch.put(Space::kCatalog, hold_key(hold.id), encode_hold(hold));
}
void RecoveryCatalog::erase(const Backup& backup, Batch& batch) {
  batch.erase(Space::kCatalog, text_key(kBackupKey, backup.arn));
}
void RecoveryCatalog::erase(const Restore& restore, Batch& batch) {
  batch.erase(Space::kCatalog, restore_key(restore));
}
void RecoveryCatalog::erase(const HistoryHold& hold, Batch& batch) { batch.erase(Space::kCatalog, hold_key(hold.id)); }

void RecoveryCatalog::publish(Backup backup) {
  auto shared = std::make_shared<const Backup>(std::move(backup));
  std::unique_lock lock(mutex_);
  backups_[shared->arn] = shared;
}
void RecoveryCatalog::publish(Restore restore) {
  auto shared = std::make_shared<const Restore>(std::move(restore));
  std::unique_lock lock(mutex_);
  restores_[shared->table_id] = shared;
}
void RecoveryCatalog::publish(HistoryHold hold) {
  auto shared = std::make_shared<const HistoryHold>(std::move(hold));
  std::unique_lock lock(mutex_);
  holds_[shared->id] = shared;
}
void RecoveryCatalog::forget(const Backup& backup) {
  std::unique_lock lock(mutex_);
  backups_.erase(backup.arn);
}
void RecoveryCatalog::forget(const Restore& restore) {
  std::unique_lock lock(mutex_);
  restores_.erase(restore.table_id);
}
void RecoveryCatalog::forget(const HistoryHold& hold) {
  std::unique_lock lock(mutex_);
  holds_.erase(hold.id);
}

}  // namespace trestle
