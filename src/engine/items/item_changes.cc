#include "engine/items/item_changes.h"

#include <algorithm>

#include "base/check.h"
#include "engine/expiry/expiry_index.h"
#include "engine/streams/stream_change.h"
#include "storage/history_record.h"
#include "storage/stream_record.h"

namespace trestle {
namespace {

// During its backfill an index may lack the entry of the old item. Then nothing must be subtracted from the counts, so
// this adds the entry, of size `size_bytes`, to the change.
template <class Change>
Result<void> correct_missing_entry(const Store& store, const std::string& entry_key, size_t size_bytes,
                                   Change& change) {
  PinnedBytes bytes;
  TRY_INTO(const bool has_entry, store.get(Space::kItems, entry_key, bytes));
  if (has_entry) return {};
  change.items_change += 1;
  change.bytes_change += static_cast<int64_t>(size_bytes);
  return {};
}

Result<void> correct_missing_entry(const Store& store, const TableDescription& table, ItemView before,
                                   IndexChange& change) {
  const IndexDescription& index = table.indexes[change.index];
  if (index.status != Status::kCreating) return {};
  const auto entry = index_entry(table, index, before);
  return entry ? correct_missing_entry(store, entry->key, entry->item.size_bytes(), change) : Result<void>();
}

Result<void> correct_missing_entry(const Store& store, const TableDescription& table, ItemView before,
                                   VectorChange& change) {
  const VectorIndexDescription& index = table.vector_indexes[change.index];
  if (index.status != Status::kCreating) return {};
  const auto entry = vector_entry(table, index, before);
  return entry ? correct_missing_entry(store, entry->key, entry->size_bytes, change) : Result<void>();
}

}  // namespace

void ItemChanges::add(const TableVersion& table, const std::string& key, ItemView before, ItemView after,
                      CapacityMeter& meter) {
  const size_t bytes_before = billed_bytes(table.description, before);
  const size_t bytes_after = billed_bytes(table.description, after);
  meter.add_table(write_units(std::max(bytes_before, bytes_after)));
  if (before == after) return;
  if (after.empty()) {
    batch_.erase(Space::kItems, key);
  } else {
    batch_.put(Space::kItems, key, after.bytes());
  }
  CountedChange counted{
      .table = &table,
      .items = (after.empty() ? 0 : 1) - (before.empty() ? 0 : 1),
      .bytes = static_cast<int64_t>(bytes_after) - static_cast<int64_t>(bytes_before),
      .indexes = {},
      .vectors = {},
  };
  if (!table.description.indexes.empty()) counted.indexes = index_delta(table.description, before, after);
  for (IndexChange& index : counted.indexes) {
    if (read_) read_ = correct_missing_entry(*parts_.store, table.description, before, index);
    if (index.erase) batch_.erase(Space::kItems, *index.erase);
    if (index.put) batch_.put(Space::kItems, index.put->key, index.put->item.bytes());
    const IndexDescription& description = table.description.indexes[index.index];
    meter.add_index(description, index.write_units);
    if (description.global) {
      parts_.insights.note({table.description, &description}, KeyEvent::kWrite,
                           index.put ? index.put->item.view() : before);
    }
  }
  if (!table.description.vector_indexes.empty()) counted.vectors = vector_delta(table.description, before, after);
  for (VectorChange& change : counted.vectors) {
    if (read_) read_ = correct_missing_entry(*parts_.store, table.description, before, change);
    if (change.erase) batch_.erase(Space::kItems, *change.erase);
    if (change.put) batch_.put(Space::kItems, change.put->key, change.put->value);
    meter.add_vector_index(table.description.vector_indexes[change.index].name, change.request_bytes);
  }
  if (table.description.ttl_attribute) {
    const auto expiry = change_expiry(table.description, key, before, after, batch_);
    earliest_expiry_ = std::min(earliest_expiry_, expiry.value_or(UINT64_MAX));
  }
  if (table.stream_id != 0) streamed_.push_back({&table, partition_hash(key), before, after});
  if (const uint32_t history = table.description.history_keyspace; history != 0) {
    recorded_.push_back({history, key, before});
  }
  counted_.push_back(std::move(counted));
}

uint64_t ItemChanges::begin_commit() {
  if (recorded_.empty()) return parts_.store->begin_commit();
  const auto [commit, time_ms] = parts_.history_clock.begin(*parts_.store);
  for (const RecordedChange& change : recorded_) {
    batch_.put(Space::kHistory, history_key(change.history_keyspace, change.key, commit),
               history_value(time_ms, change.before));
  }
  return commit;
}

void ItemChanges::put_stream_records(uint64_t commit) {
  CHECK(streamed_.size() <= kStreamPlacesMax);
  const int64_t now_ms = parts_.options.clock->now_ms();
  StreamPosition position{.commit = commit, .place = 0};
  for (const StreamedChange& change : streamed_) {
    const TableDescription& table = change.table->description;
    const uint32_t slot = stream_slot(change.partition_hash, change.table->stream_slots);
    batch_.put(
        Space::kStreams, stream_record_key(change.table->stream_id, slot, position),
        stream_record({.table = table, .before = change.before, .after = change.after, .origin = origin_}, now_ms));
    ++position.place;
  }
}

Result<void> ItemChanges::commit(Call& call) {
  TRY(read_);
  if (batch_.empty()) return {};
  // Stream records are identified by the number of their commit. The number is assigned while the items are locked, so
  // that the records of an item are in order.
  const uint64_t number = begin_commit();
  if (!streamed_.empty()) put_stream_records(number);
  TRY_INTO(const uint64_t commit, parts_.store->commit(batch_, number));
  call.commit = std::max(call.commit, commit);
  for (const StreamedChange& change : streamed_)
    change.table->stream_counts->written.fetch_add(1, std::memory_order_relaxed);
  if (earliest_expiry_ != UINT64_MAX) parts_.sweeper->note(earliest_expiry_);
  for (const CountedChange& counted : counted_) {
    counted.table->counts->add(counted.items, counted.bytes);
    for (const IndexChange& index : counted.indexes) {
      counted.table->index_counts[index.index]->add(index.items_change, index.bytes_change);
    }
    for (const VectorChange& change : counted.vectors) {
      const VectorIndexDescription& index = counted.table->description.vector_indexes[change.index];
      if (change.erase) parts_.vectors->apply(index, *change.erase, {});
      if (change.put) parts_.vectors->apply(index, change.put->key, change.put->value);
      counted.table->vector_counts[change.index]->add(change.items_change, change.bytes_change);
    }
  }
  return {};
}

}  // namespace trestle
