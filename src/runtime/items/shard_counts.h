// The current and former numbers of shards: which shard holds an item, and which shards a query must read.
//
// An item's shard is SHA-256 of a field's text, its first eight bytes modulo the count in force at the item's own time,
// which its ULID contains. Epochs are only appended, each beginning after the previous one.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "design/language/design.h"
#include "runtime/values/plain.h"

namespace trestle::runtime {

class ShardCounts {
 public:
  // `item` is the one that stores the count (a map of fields), absent if none was ever set.
  ShardCounts(const design::Shard& shard, const Plain& item);

  int64_t count_at(int64_t unix_ms) const;
  int64_t count_max() const;
  // `of` is the text of the field that is hashed; what is no ULID has no time, and the first count holds.
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
