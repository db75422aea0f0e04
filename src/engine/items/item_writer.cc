#include "engine/items/item_writer.h"

#include <algorithm>

#include "engine/items/admission.h"
#include "engine/items/item_changes.h"

namespace trestle {

Result<void> ItemWriter::reject_conflict(uint64_t commit) {
  // The error response waits until the transaction's commit is durable, so that a retry can succeed.
  call_.commit = std::max(call_.commit, commit);
  return failure(ErrorCode::kTransactionConflict, kTransactionOngoing);
}

Result<ItemView> ItemWriter::read_old(const std::string& key, PinnedBytes& bytes) {
  TRY_INTO(const bool found, parts_.store->get(Space::kItems, key, bytes));
  return found ? ItemView(bytes.view()) : ItemView();
}

Result<void> ItemWriter::apply(const std::string& key, ItemView before, ItemView after, CapacityMeter& meter) {
  if (before.empty() && after.empty()) {
    meter.add_table(write_units(0));
    return {};
  }
  TRY(admit_index_writes(parts_, table_.description, before, after));
  ItemChanges changes(parts_);
  changes.add(table_, key, before, after, meter);
  return changes.commit(call_);
}

std::unexpected<Error> condition_failed(const WriteCondition& condition, ItemView old_item) {
  Error error{.code = ErrorCode::kConditionalCheckFailed, .message = kConditionFailed, .item = nullptr};
  if (condition.return_item_on_failure && !old_item.empty()) error.item = std::make_shared<const Item>(old_item);
  return std::unexpected(std::move(error));
}

}  // namespace trestle
