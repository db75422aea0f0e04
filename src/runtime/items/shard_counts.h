// The current and former numbers of shards: which shard holds an item, and which shards a query must read.
//
// An item's shard is the first eight bytes of the SHA-256 of a field's text, modulo the shard count at the item's own
// time, which its ULID contains. Epochs are only appended, each beginning after the previous one.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "design/language/design.h"
#include "runtime/values/plain.h"

namespace trestle::runtime {

class ShardCounts {
 public:
  // `item` has the fields of the item that stores the count (a map); absent if no count was ever set.
  ShardCounts(const design::Shard& shard, const Plain& item);

  int64_t count_at(int64_t unix_ms) const;
  int64_t count_max() const;
  // `of` is the text of the field that is hashed. Text that is not a ULID counts as time 0.
  int64_t shard_of(std::string_view of) const;

 private:
  struct Epoch {
    int64_t from_ms;
    int64_t count;
  };
  int64_t initial_ = 1;
  std::vector<Epoch> epochs_;
};

}  // namespace trestle::runtime
