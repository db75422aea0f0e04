// The changes of items that become one commit: the items, every index entry, the records of their tables' streams and
// histories, and everything else that must be consistent with them. All writes of items go through this class.
//
//   ItemChanges changes(parts);
//   changes.add(table, key, old_item, new_item, meter);     // as often as need be, each item once
//   TRY(changes.commit(call));
//
// The caller holds the locks of the items from before it read the old ones until commit() returns.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "engine/items/capacity.h"
#include "engine/items/index_delta.h"
#include "engine/parts.h"
#include "engine/vectors/vector_entry.h"
#include "model/database.h"

namespace trestle {

class ItemChanges {
 public:
  explicit ItemChanges(ItemParts& parts, WriteOrigin origin = WriteOrigin::kClient)
      : parts_(parts), origin_(origin), batch_(*parts.store) {}

  // `key` is the encoded table key; an empty `before` or `after` means that there is no item. The views must live until
  // commit(). Meters the cost of the change.
  void add(const TableVersion& table, const std::string& key, ItemView before, ItemView after, CapacityMeter& meter);

  // Writes everything in one commit; call.commit is the commit that the response must wait for. Does nothing if there
  // is nothing to write, and fails if add() could not read what it needs.
  Result<void> commit(Call& call);

  // For other writes that belong in the same commit.
  Batch& batch() { return batch_; }
  WriteOrigin origin() const { return origin_; }

 private:
  struct Counted {
    const TableVersion* table;
    int64_t items;
    int64_t bytes;
    std::vector<IndexChange> indexes;
    std::vector<VectorChange> vectors;
  };

  // A change of an item whose table has a stream.
  struct Streamed {
    const TableVersion* table;
    uint32_t partition_hash;
    ItemView before;
    ItemView after;
  };

  // A change of an item whose table records its history.
  struct Recorded {
    uint32_t history_keyspace;
    std::string key;
    ItemView before;
  };

  void put_stream_records(uint64_t commit);
  // Begins the commit and returns its number.
  uint64_t begin_commit();

  ItemParts& parts_;
  const WriteOrigin origin_;
  Batch batch_;
  Result<void> read_;                      // by add()
  uint64_t earliest_expiry_ = UINT64_MAX;  // of the entries added to the expiry index
  std::vector<Counted> counted_;
  std::vector<Streamed> streamed_;
  std::vector<Recorded> recorded_;
};

}  // namespace trestle
