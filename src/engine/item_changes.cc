#include "engine/item_changes.h"

#include <algorithm>

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
  counted_.push_back(std::move(counted));
}

Result<void> ItemChanges::commit(Call& call) {
  if (batch_.empty()) return {};
  TRY_INTO(const uint64_t commit, engine_.store_->commit(batch_));
  call.commit = std::max(call.commit, commit);
  for (const Counted& counted : counted_) {
    counted.table->counts->add(counted.items, counted.bytes);
    for (const IndexChange& index : counted.indexes) {
      counted.table->index_counts[index.index]->add(index.items_change, index.bytes_change);
    }
  }
  return {};
}

}  // namespace trestle
