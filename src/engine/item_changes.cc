#include "engine/item_changes.h"

#include <algorithm>

#include "base/check.h"
#include "engine/expiry_index.h"
#include "engine/stream_change.h"
#include "storage/history_record.h"
#include "storage/stream_record.h"

namespace trestle {

void ItemChanges::add(const TableVersion& table, const std::string& key, ItemView before, ItemView after,
                      CapacityMeter& meter) {
  meter.add_table(write_units(std::max(before.size_bytes(), after.size_bytes())));
  if (before == after) return;
  if (after.empty()) {
    batch_.erase(Space::kItems, key);
  } else {
    batch_.put(Space::kItems, key, after.bytes());
  }
  Counted counted{
      .table = &table,
      .items = (after.empty() ? 0 : 1) - (before.empty() ? 0 : 1),
      .bytes = static_cast<int64_t>(after.size_bytes()) - static_cast<int64_t>(before.size_bytes()),
      .indexes = {},
  };
  if (!table.description.indexes.empty()) counted.indexes = index_delta(table.description, before, after);
  for (const IndexChange& index : counted.indexes) {
    if (index.erase) batch_.erase(Space::kItems, *index.erase);
    if (index.put) batch_.put(Space::kItems, index.put->key, index.put->item.bytes());
    meter.add_index(table.description.indexes[index.index], index.write_units);
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
  if (recorded_.empty()) return engine_.store_->begin_commit();
  const auto [commit, time_ms] = engine_.history_clock_.begin(*engine_.store_);
  for (const Recorded& change : recorded_) {
    batch_.put(Space::kHistory, history_key(change.history_keyspace, change.key, commit),
               history_value(time_ms, change.before));
  }
  return commit;
}

void ItemChanges::put_stream_records(uint64_t commit) {
  CHECK(streamed_.size() <= kStreamPlacesMax);
  const int64_t now_ms = engine_.options_.clock->now_ms();
  StreamPosition position{.commit = commit, .place = 0};
  for (const Streamed& change : streamed_) {
    const TableDescription& table = change.table->description;
    const uint32_t slot = stream_slot(change.partition_hash, change.table->stream_slots);
    batch_.put(Space::kStreams, stream_record_key(change.table->stream_id, slot, position),
               stream_record({.table = table, .before = change.before, .after = change.after, .origin = origin_}, now_ms));
    ++position.place;
  }
}

Result<void> ItemChanges::commit(Call& call) {
  if (batch_.empty()) return {};
  // Records of streams are told apart by the number of their commit. It is taken while the items are locked, so that
  // records of one item are in order.
  const uint64_t number = begin_commit();
  if (!streamed_.empty()) put_stream_records(number);
  TRY_INTO(const uint64_t commit, engine_.store_->commit(batch_, number));
  call.commit = std::max(call.commit, commit);
  for (const Streamed& change : streamed_) change.table->stream_counts->written.fetch_add(1, std::memory_order_relaxed);
  if (earliest_expiry_ != UINT64_MAX) engine_.sweeper_->note(earliest_expiry_);
  for (const Counted& counted : counted_) {
    counted.table->counts->add(counted.items, counted.bytes);
    for (const IndexChange& index : counted.indexes) {
      counted.table->index_counts[index.index]->add(index.items_change, index.bytes_change);
    }
  }
  return {};
}

}  // namespace trestle
