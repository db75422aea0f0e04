// Merges the pages of many partitions into one list, in the exact order of their sort keys, ascending or descending.
//
// A position records for each shard where it is: at its beginning, after a key, or at its end. It is compressed, since
// the keys of shards are similar. An ascending walk that began with fewer shards continues into those added since; a
// descending one omits them, since all their items are newer than its start.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "model/value.h"
#include "runtime/values/refusal.h"

namespace trestle::runtime {

struct ShardPage {
  std::vector<Item> items;
  std::optional<Item> next;  // absent: the end
};
// Reads a page of a shard after `start`. With `concurrent`, it is called from several threads at once.
using ShardFetch =
    std::function<Outcome<ShardPage>(int64_t shard, const std::optional<Item>& start, std::optional<int64_t> limit)>;

struct MergeOptions {
  int64_t shards = 1;
  std::vector<std::string> order;  // the sort key's attributes
  std::vector<std::string> key;    // the attributes of an exclusive start key
  bool descending = false;
  std::optional<int64_t> limit;
  std::string position;  // empty: the beginning
  bool concurrent = false;
};
struct Merged {
  std::vector<Item> items;
  std::string position;  // empty: the end
};
Outcome<Merged> merge_shards(const MergeOptions& options, const ShardFetch& fetch);

}  // namespace trestle::runtime
