#include "storage/catalog/catalog.h"

#include <algorithm>
#include <mutex>

#include "base/bytes.h"
#include "storage/cached_reads.h"
#include "storage/catalog/record_codec.h"
#include "storage/catalog/table_encoding.h"

namespace trestle {
namespace {

constexpr char kTableKey = 't';
constexpr char kCountKey = 'c';
constexpr char kDroppedKey = 'd';
constexpr std::string_view kNextKeyspaceKey = "k";
constexpr std::string_view kCleanKey = "C";

std::string table_key(std::string_view name) { return kTableKey + std::string(name); }

std::string keyspace_key(char kind, uint32_t keyspace) {
  std::string key(1, kind);
  append_u32_be(key, keyspace);
  return key;
}

}  // namespace

Result<std::unique_ptr<Catalog>> Catalog::load(Store& store, std::shared_ptr<const Clock> clock) {
  std::unique_ptr<Catalog> catalog(new Catalog(store, std::move(clock)));
  TRY(catalog->streams_.load());
  TRY(catalog->recovery_.load());
  TRY(catalog->load_tables());
  TRY(catalog->open_missing_streams());
  TRY(catalog->load_counts());
  return catalog;
}

Result<void> Catalog::load_tables() {
  MutexLock lock(change_mutex_);
  PinnedBytes next;
  TRY_INTO(const bool has_next, store_.get(Space::kCatalog, kNextKeyspaceKey, next));
  if (has_next) next_keyspace_ = load_u32_be(next.view().data());
  auto cursor = store_.cursor(Space::kCatalog, {.range = kind_range(kTableKey)}, nullptr);
  for (; cursor->valid(); cursor->next()) {
    TRY_INTO(TableDescription table, decode_table(cursor->value()));
    publish(std::move(table));
  }
  TRY(cursor->status());
  cursor = store_.cursor(Space::kCatalog, {.range = kind_range(kDroppedKey)}, nullptr);
  for (; cursor->valid(); cursor->next()) dropped_.push_back(load_u32_be(cursor->key().data() + 1));
  return cursor->status();
}

// Older versions of Trestle stored only a stream's label in the table, and no records. This creates the streams that
// are missing.
Result<void> Catalog::open_missing_streams() {
  MutexLock lock(change_mutex_);
  for (const auto& table : tables()) {
    if (!table->description.stream || table->stream_id != 0) continue;
    Change change(store_);
    change.streams = streams_.plan(nullptr, &table->description, clock_->now_ms(), change.batch);
    TRY_INTO(const Committed committed, commit(change, table->description.name));
    publish(table->description);
    TRY(committed.durable);
  }
  return {};
}

Result<void> Catalog::load_counts() {
  PinnedBytes value;
  TRY_INTO(counts_are_right_, store_.get(Space::kCatalog, kCleanKey, value));
  if (tables_.empty()) counts_are_right_ = true;
  const auto load = [&](uint32_t keyspace, KeyspaceCounts& counts) -> Result<void> {
    TRY_INTO(const bool found, store_.get(Space::kCatalog, keyspace_key(kCountKey, keyspace), value));
    uint64_t items = 0;
    uint64_t bytes = 0;
    std::string_view in = value.view();
    if (found && read_varint(in, items) && read_varint(in, bytes)) {
      counts.add(static_cast<int64_t>(items), static_cast<int64_t>(bytes));
    }
    return {};
  };
  for (const auto& [name, table] : tables_) {
    if (!counts_are_right_) break;
    TRY(load(table->description.keyspace, *table->counts));
    for (size_t i = 0; i < table->index_counts.size(); ++i) {
      TRY(load(table->description.indexes[i].keyspace, *table->index_counts[i]));
    }
    for (size_t i = 0; i < table->vector_counts.size(); ++i) {
      TRY(load(table->description.vector_indexes[i].keyspace, *table->vector_counts[i]));
    }
  }
  // The saved counts are stale from the first write on.
  Batch batch(store_);
  batch.erase(Space::kCatalog, kCleanKey);
  TRY_INTO(const uint64_t number, store_.commit(batch));
  return store_.wait_durable(number);
}

Result<void> Catalog::save_counts() {
  Batch batch(store_);
  const auto save = [&](uint32_t keyspace, const KeyspaceCounts& counts) {
    std::string value;
    append_varint(value, static_cast<uint64_t>(std::max<int64_t>(0, counts.items.load())));
    append_varint(value, static_cast<uint64_t>(std::max<int64_t>(0, counts.bytes.load())));
    batch.put(Space::kCatalog, keyspace_key(kCountKey, keyspace), value);
  };
  for (const auto& table : tables()) {
    save(table->description.keyspace, *table->counts);
    for (size_t i = 0; i < table->index_counts.size(); ++i) {
      save(table->description.indexes[i].keyspace, *table->index_counts[i]);
    }
    for (size_t i = 0; i < table->vector_counts.size(); ++i) {
      save(table->description.vector_indexes[i].keyspace, *table->vector_counts[i]);
    }
  }
  batch.put(Space::kCatalog, kCleanKey, "");
  TRY_INTO(const uint64_t number, store_.commit(batch));
  return store_.wait_durable(number);
}

std::shared_ptr<const TableVersion> Catalog::find(std::string_view name) const {
  std::shared_lock lock(tables_mutex_);
  const auto it = tables_.find(name);
  return it == tables_.end() ? nullptr : it->second;
}

std::optional<WritableTable> Catalog::open_for_write(std::string_view name) const {
  for (;;) {
    auto version = find(name);
    if (!version) return std::nullopt;
    std::shared_lock lock(version->gate->writers, std::try_to_lock);
    if (!lock.owns_lock()) {
      if (CachedReads::must_not_wait()) CachedReads::note_missed_lock();
      if (CachedReads::missed()) return std::nullopt;
      lock.lock();
    }
    if (version->gate->current == version.get()) return WritableTable(std::move(version), std::move(lock));
  }
}

std::vector<std::string> Catalog::names() const {
  std::shared_lock lock(tables_mutex_);
  std::vector<std::string> names;
  names.reserve(tables_.size());
  for (const auto& [name, table] : tables_) names.push_back(name);
  return names;
}

std::vector<std::shared_ptr<const TableVersion>> Catalog::tables() const {
  std::shared_lock lock(tables_mutex_);
  std::vector<std::shared_ptr<const TableVersion>> tables;
  for (const auto& [name, table] : tables_) tables.push_back(table);
  return tables;
}

Result<std::shared_ptr<const TableVersion>> Catalog::create(TableDescription table, const FillingJob& job) {
  MutexLock lock(change_mutex_);
  const std::string name = table.name;
  if (find(name)) return failure(ErrorCode::kResourceInUse, "Table already exists: " + name);
  Change change(store_);
  assign_keyspaces(table, change.batch);
  change.batch.put(Space::kCatalog, table_key(name), encode_table(table));
  change.streams = streams_.plan(nullptr, &table, clock_->now_ms(), change.batch);
  if (job.put) job.put(change.batch);
  TRY_INTO(const Committed committed, commit(change, name));
  publish(std::move(table));
  if (job.publish) job.publish();
  TRY(committed.durable);
  return find(name);
}

Result<std::shared_ptr<const TableVersion>> Catalog::change(const std::string& name, const Edit& edit,
                                                            const Published& published) {
  MutexLock lock(change_mutex_);
  const auto old = find(name);
  if (!old) return failure(ErrorCode::kResourceNotFound, "Requested resource not found: Table: " + name + " not found");
  TRY_INTO(TableDescription table, edit(old->description));
  Change change(store_);
  assign_keyspaces(table, change.batch);
  // Indexes are identified by their keyspaces: an index may have been replaced by another of the same name.
  const auto drop_missing = [&](const auto& before, const auto& after) {
    for (const auto& index : before) {
      const bool stays =
          std::ranges::any_of(after, [&](const auto& other) { return other.keyspace == index.keyspace; });
      if (!stays) drop(index.keyspace, change);
    }
  };
  drop_missing(old->description.indexes, table.indexes);
  drop_missing(old->description.vector_indexes, table.vector_indexes);
  assign_history_keyspace(table, recovery_.has_hold(table.id), change);
  // Writes in progress finish with the old version; later ones wait until the new one is published.
  std::unique_lock writers(old->gate->writers);
  if (table.recovery && !old->description.recovery) table.recovery->enabled_ms = clock_->now_ms();
  change.batch.put(Space::kCatalog, table_key(name), encode_table(table));
  change.streams = streams_.plan(&old->description, &table, clock_->now_ms(), change.batch);
  TRY_INTO(const Committed committed, commit(change, name));
  publish(std::move(table));
  if (published) published(old, find(name));
  TRY(committed.durable);
  return find(name);
}

Result<void> Catalog::remove(const std::string& name, const Removal& decide) {
  MutexLock lock(change_mutex_);
  const auto old = find(name);
  if (!old) return failure(ErrorCode::kResourceNotFound, "Requested resource not found: Table: " + name + " not found");
  std::optional<Backup> backup;
  if (decide) {
    TRY_INTO(backup, decide(*old));
  }
  Change change(store_);
  change.batch.erase(Space::kCatalog, table_key(name));
  if (!backup) drop(old->description.keyspace, change);
  for (const IndexDescription& index : old->description.indexes) drop(index.keyspace, change);
  for (const VectorIndexDescription& index : old->description.vector_indexes) drop(index.keyspace, change);
  if (old->description.history_keyspace != 0) drop(old->description.history_keyspace, change);
  std::unique_lock writers(old->gate->writers);
  if (backup) {
    backup->keyspace = old->description.keyspace;
    backup->items = backup->table.item_count = old->counts->items.load();
    backup->bytes = backup->table.size_bytes = old->counts->bytes.load();
    RecoveryCatalog::put(*backup, change.batch);
  }
  change.streams = streams_.plan(&old->description, nullptr, clock_->now_ms(), change.batch);
  TRY_INTO(const Committed committed, commit(change, name));
  if (backup) recovery_.publish(std::move(*backup));
  {
    std::unique_lock tables_lock(tables_mutex_);
    old->gate->current = nullptr;
    if (!old->description.resource_policy.empty()) policies_.fetch_sub(1, std::memory_order_relaxed);
    tables_.erase(name);
  }
  return committed.durable;
}

Result<void> Catalog::edit_streams(const std::function<Result<void>(StreamCatalog&)>& edit) {
  MutexLock lock(change_mutex_);
  return edit(streams_);
}

std::vector<uint32_t> Catalog::dropped() const {
  std::shared_lock lock(tables_mutex_);
  return dropped_;
}

Result<void> Catalog::forget_dropped(uint32_t keyspace) {
  MutexLock lock(change_mutex_);
  Batch batch(store_);
  batch.erase(Space::kCatalog, keyspace_key(kDroppedKey, keyspace));
  TRY(store_.commit(batch));
  std::unique_lock tables_lock(tables_mutex_);
  std::erase(dropped_, keyspace);
  return {};
}

void Catalog::publish(TableDescription table) {
  const auto old = find(table.name);
  auto version = std::make_shared<TableVersion>();
  version->gate = old ? old->gate : std::make_shared<TableGate>();
  version->counts = old ? old->counts : std::make_shared<KeyspaceCounts>();
  for (const IndexDescription& index : table.indexes) {
    std::shared_ptr<KeyspaceCounts> counts;
    for (size_t i = 0; old && i < old->index_counts.size(); ++i) {
      if (old->description.indexes[i].keyspace == index.keyspace) counts = old->index_counts[i];
    }
    version->index_counts.push_back(counts ? counts : std::make_shared<KeyspaceCounts>());
  }
  for (const VectorIndexDescription& index : table.vector_indexes) {
    std::shared_ptr<KeyspaceCounts> counts;
    for (size_t i = 0; old && i < old->vector_counts.size(); ++i) {
      if (old->description.vector_indexes[i].keyspace == index.keyspace) counts = old->vector_counts[i];
    }
    version->vector_counts.push_back(counts ? counts : std::make_shared<KeyspaceCounts>());
  }
  if (table.stream) {
    if (const auto stream = streams_.find(table.arn + "/stream/" + table.stream_label); stream && stream->enabled()) {
      version->stream_id = stream->id;
      version->stream_slots = stream->slots;
      version->stream_counts = stream->counts;
    }
  }
  const int had_policy = old && !old->description.resource_policy.empty() ? 1 : 0;
  policies_.fetch_add((table.resource_policy.empty() ? 0 : 1) - had_policy, std::memory_order_relaxed);
  version->description = std::move(table);
  version->gate->current = version.get();
  std::unique_lock lock(tables_mutex_);
  tables_[version->description.name] = std::move(version);
}

void Catalog::assign_keyspaces(TableDescription& table, Batch& batch) {
  if (table.keyspace == 0) table.keyspace = next_keyspace_++;
  for (IndexDescription& index : table.indexes) {
    if (index.keyspace == 0) index.keyspace = next_keyspace_++;
  }
  for (VectorIndexDescription& index : table.vector_indexes) {
    if (index.keyspace == 0) index.keyspace = next_keyspace_++;
  }
  put_next_keyspace(batch);
}

void Catalog::put_next_keyspace(Batch& batch) {
  std::string next;
  append_u32_be(next, next_keyspace_);
  batch.put(Space::kCatalog, kNextKeyspaceKey, next);
}

void Catalog::drop(uint32_t keyspace, Change& change) {
  change.batch.put(Space::kCatalog, keyspace_key(kDroppedKey, keyspace), "");
  change.batch.erase(Space::kCatalog, keyspace_key(kCountKey, keyspace));
  change.dropped.push_back(keyspace);
}

Result<Catalog::Committed> Catalog::commit(Change& change, std::string_view table_name) {
  return commit(change, table_name, store_.begin_commit());
}

Result<Catalog::Committed> Catalog::commit(Change& change, std::string_view table_name, uint64_t number) {
  TRY_INTO(const uint64_t waits_for, store_.commit(change.batch, number));
  Committed committed{.durable = store_.wait_durable(waits_for)};
  if (!committed.durable.has_value()) note_uncertain(table_name, waits_for);
  streams_.publish(change.streams, waits_for);
  if (!change.dropped.empty()) {
    std::unique_lock lock(tables_mutex_);
    dropped_.insert(dropped_.end(), change.dropped.begin(), change.dropped.end());
  }
  return committed;
}

void Catalog::note_uncertain(std::string_view table_name, uint64_t number) {
  std::unique_lock lock(tables_mutex_);
  uncertain_[std::string(table_name)] = number;
  has_uncertain_.store(true, std::memory_order_relaxed);
}

Result<void> Catalog::find_uncertain(std::string_view name) const {
  std::unique_lock lock(tables_mutex_);
  const uint64_t durable = store_.durable_commit();
  std::erase_if(uncertain_, [&](const auto& entry) { return entry.second <= durable; });
  has_uncertain_.store(!uncertain_.empty(), std::memory_order_relaxed);
  const bool is_uncertain = name.empty() ? !uncertain_.empty() : uncertain_.contains(name);
  if (!is_uncertain) return {};
  return failure(
      ErrorCode::kServiceUnavailable,
      "The disk failed while this resource was being changed; the outcome is not known yet. Try again later");
}

}  // namespace trestle
