#include "engine/item_writer.h"

#include <algorithm>

namespace trestle {

Result<ItemView> ItemWriter::read_old(const std::string& key, PinnedBytes& bytes) {
  TRY_INTO(const bool found, engine_.store_->get(Space::kItems, key, bytes));
  // Whatever comes of this, the answer tells of the item as it is now.
  call_.commit = std::max(call_.commit, engine_.store_->commit_seen(key));
  return found ? ItemView(bytes.view()) : ItemView();
}

Result<void> ItemWriter::apply(const std::string& key, ItemView before, const ItemDecision& decision,
                               CapacityMeter& meter) {
  if (decision.kind == ItemDecision::Kind::kKeep) {
    meter.add_table(write_units(before.size_bytes()));
    return {};
  }
  const ItemView after = decision.item();
  if (before.empty() && after.empty()) {
    meter.add_table(write_units(0));
    return {};
  }
  Batch batch(*engine_.store_);
  const ItemChange change = add_change(table_, batch, key, before, after, meter);
  if (batch.empty()) return {};
  TRY_INTO(const uint64_t commit, engine_.store_->commit(batch));
  call_.commit = std::max(call_.commit, commit);
  count(table_, change);
  return {};
}

ItemChange ItemWriter::add_change(const TableVersion& table, Batch& batch, const std::string& key, ItemView before,
                                  ItemView after, CapacityMeter& meter) {
  meter.add_table(write_units(std::max(before.size_bytes(), after.size_bytes())));
  ItemChange change;
  if (before == after) return change;
  if (after.empty()) {
    batch.erase(Space::kItems, key);
  } else {
    batch.put(Space::kItems, key, after.bytes());
  }
  change.items_change = (after.empty() ? 0 : 1) - (before.empty() ? 0 : 1);
  change.bytes_change = static_cast<int64_t>(after.size_bytes()) - static_cast<int64_t>(before.size_bytes());
  if (table.description.indexes.empty()) return change;
  change.indexes = index_delta(table.description, before, after);
  for (const IndexChange& index : change.indexes) {
    if (index.erase) batch.erase(Space::kItems, *index.erase);
    if (index.put) batch.put(Space::kItems, index.put->key, index.put->item.bytes());
    meter.add_index(table.description.indexes[index.index], index.write_units);
  }
  return change;
}

void ItemWriter::count(const TableVersion& table, const ItemChange& change) {
  table.counts->add(change.items_change, change.bytes_change);
  for (const IndexChange& index : change.indexes) {
    table.index_counts[index.index]->add(index.items_change, index.bytes_change);
  }
}

std::unexpected<Error> condition_failed(const WriteCondition& condition, ItemView old_item) {
  Error error{.code = ErrorCode::kConditionalCheckFailed, .message = "The conditional request failed", .item = nullptr};
  if (condition.return_item_on_failure && !old_item.empty()) error.item = std::make_shared<const Item>(old_item);
  return std::unexpected(std::move(error));
}

}  // namespace trestle
