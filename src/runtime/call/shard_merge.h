// Pages of many partitions as one list, in the exact order of their sort keys, either way.
//
// A position says for each shard where it stands: at its beginning, behind a key, or at its end. It is compressed,
// since keys of shards are much alike. A walk that began with fewer shards goes on ascending into those that came
// since; descending it leaves them out, since all they hold is newer than where it began.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "model/value.h"
#include "runtime/call/refusal.h"

namespace trestle::runtime {

struct ShardPage {
  std::vector<Item> items;
  std::optional<Item> next;  // absent: the end
};
// A page of one shard behind `start`. With `side_by_side`, called from several threads at once.
using ShardFetch =
    std::function<Outcome<ShardPage>(int64_t shard, const std::optional<Item>& start, std::optional<int64_t> limit)>;

struct MergeOptions {
  int64_t shards = 1;
  std::vector<std::string> order;  // the sort key's attributes
  std::vector<std::string> key;    // the attributes that name an item's place
  bool descending = false;
  std::optional<int64_t> limit;
  std::string position;  // empty: the beginning
  bool side_by_side = false;
};
struct Merged {
  std::vector<Item> items;
  std::string position;  // empty: the end
};
Outcome<Merged> merge_shards(const MergeOptions& options, const ShardFetch& fetch);

// The attributes of an item that name its place.
Item place_of(ItemView item, const std::vector<std::string>& key);

}  // namespace trestle::runtime
