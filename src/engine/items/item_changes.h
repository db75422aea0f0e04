// Collects changes of items into one commit: the items, their index entries, the records of their tables' streams and
// histories, and everything else that must be consistent with them. All writes of items go through this class.
//
//   ItemChanges changes(parts);
//   changes.add(table, key, old_item, new_item, meter);     // once for each item
//   TRY(changes.commit(call));
//
// The caller must hold the locks of the items from before it reads the old items until commit() returns.
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
  // commit(). Adds the cost of the change to `meter`.
  void add(const TableVersion& table, const std::string& key, ItemView before, ItemView after, CapacityMeter& meter);

  // Writes everything in one commit, and sets call.commit to the commit that the response must wait for. Does nothing
  // if there is nothing to write. Fails if a read in add() has failed.
  Result<void> commit(Call& call);

  // For other writes that belong in the same commit.
  Batch& batch() { return batch_; }
  WriteOrigin origin() const { return origin_; }

 private:
  struct CountedChange {
    const TableVersion* table;
    int64_t items;
    int64_t bytes;
    std::vector<IndexChange> indexes;
    std::vector<VectorChange> vectors;
  };

  // A change of an item whose table has a stream.
  struct StreamedChange {
    const TableVersion* table;
    uint32_t partition_hash;
    ItemView before;
    ItemView after;
  };

  // A change of an item whose table records its history.
  struct RecordedChange {
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
  Result<void> read_;                      // the outcome of reads in add()
  uint64_t earliest_expiry_ = UINT64_MAX;  // of the entries added to the expiry index
  std::vector<CountedChange> counted_;
  std::vector<StreamedChange> streamed_;
  std::vector<RecordedChange> recorded_;
};

}  // namespace trestle
