// Writes a single item: reads the old item under its lock, lets the operation decide, then commits the change.
#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <string>

#include "engine/items/admission.h"
#include "engine/items/capacity.h"
#include "engine/parts.h"
#include "engine/vectors/vector_entry.h"
#include "model/database.h"

namespace trestle {

// Messages that writes of one item and transactions have in common.
inline constexpr const char* kTransactionOngoing = "Transaction is ongoing for the item";
inline constexpr const char* kConditionFailed = "The conditional request failed";

// What an operation decides to do with the item.
struct ItemDecision {
  enum class Kind { kPut, kErase, kKeep } kind = Kind::kKeep;
  // kPut: the new item, either owned or borrowed from the request.
  std::optional<Item> built;
  ItemView borrowed;

  static ItemDecision keep() { return {}; }
  static ItemDecision erase() { return {.kind = Kind::kErase}; }
  static ItemDecision put(ItemView item) { return {.kind = Kind::kPut, .borrowed = item}; }
  static ItemDecision put(Item item) { return {.kind = Kind::kPut, .built = std::move(item)}; }
  // Empty unless kPut.
  ItemView item() const { return built ? built->view() : borrowed; }
};

class ItemWriter {
 public:
  ItemWriter(ItemParts& parts, const TableVersion& table, Call& call) : parts_(parts), table_(table), call_(call) {}

  // Calls decide(old_item) under the lock of the item with this key; old_item is empty if there is none. A failed
  // condition is charged too, as a write of the existing item.
  template <class Decide>
  Result<void> write(ItemView key, CapacityMeter& meter, Decide decide) {
    TRY(admit(parts_, table_.description, UnitKind::kWrite, key));
    meter.charge_to(parts_.throughput, table_, UnitKind::kWrite);
    const std::string encoded = encode_table_key(table_.description.keyspace, table_.description.key, key);
    auto lock = parts_.locks.try_lock(encoded);
    if (!lock.owns_lock()) [[unlikely]] {
      // If commits are not waited for, this detects a conflict with a transaction in progress.
      if (parts_.transactions->is_claimed(encoded, TransactionRegistry::Use::kWrite)) return reject_conflict(0);
      if (!lock.lock()) return failure(ErrorCode::kServiceUnavailable, "another thread repeats the call");
    }
    TRY(check_no_conflict(encoded));
    PinnedBytes read;
    const auto remembered = lock.remembered(encoded);
    TRY_INTO(const ItemView old_item, remembered ? ItemView(*remembered) : read_old(encoded, read));
    // Whatever the outcome, the response depends on the current item.
    call_.commit = std::max(call_.commit, parts_.store->commit_seen(encoded));
    const Result<ItemDecision> decision = decide(old_item);
    if (!decision.has_value()) {
      if (decision.error().code == ErrorCode::kConditionalCheckFailed) {
        const double units = write_units(old_item.size_bytes());
        meter.add_table(units);
        call_.refused_units += units;
      }
      return std::unexpected(decision.error());
    }
    if (decision->kind == ItemDecision::Kind::kKeep) {
      meter.add_table(write_units(billed_bytes(table_.description, old_item)));
      return {};
    }
    lock.forget();
    TRY(apply(encoded, old_item, decision->item(), meter));
    // A cached item was written recently, so it is most likely still in the write buffer.
    if (!old_item.empty() && (remembered || read.in_write_buffer())) parts_.store->note_superseded(Space::kItems);
    lock.remember(encoded, decision->item().bytes());
    return {};
  }

 private:
  // Rejects a write of an item that a transaction in progress holds.
  Result<void> check_no_conflict(const std::string& key) {
    const uint64_t commit = parts_.transactions->conflicting_commit(key, TransactionRegistry::Use::kWrite);
    if (commit == 0) [[likely]]
      return {};
    return reject_conflict(commit);
  }
  Result<void> reject_conflict(uint64_t commit);
  Result<ItemView> read_old(const std::string& key, PinnedBytes& bytes);
  Result<void> apply(const std::string& key, ItemView before, ItemView after, CapacityMeter& meter);

  ItemParts& parts_;
  const TableVersion& table_;
  Call& call_;
};

// The error of a failed condition, with the old item if the request asked for it.
std::unexpected<Error> condition_failed(const WriteCondition& condition, ItemView old_item);

}  // namespace trestle
