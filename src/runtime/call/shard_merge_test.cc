#include "runtime/call/shard_merge.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "runtime/items/item_form.h"

namespace trestle::runtime {
namespace {

// Shards of items {p: shard, s: number}, each in order. A filter drops some items.
struct Shards {
  std::vector<std::vector<int64_t>> values;

  MergeOptions options(bool descending, int64_t limit) const {
    return {.shards = static_cast<int64_t>(values.size()),
            .order = {"s"},
            .key = {"p", "s"},
            .descending = descending,
            .limit = limit,
            .position = {},
            .concurrent = false};
  }
  ShardFetch fetch(bool descending) const {
    return [this, descending](int64_t shard, const std::optional<Item>& start,
                              std::optional<int64_t> limit) -> Outcome<ShardPage> {
      auto list = values[static_cast<size_t>(shard)];
      std::sort(list.begin(), list.end());
      if (descending) std::reverse(list.begin(), list.end());
      ShardPage page;
      int64_t after = 0;
      if (start) after = std::stoll(std::string(start->find("s")->scalar()));
      for (const int64_t value : list) {
        if (start && (descending ? value >= after : value <= after)) continue;
        if (limit && static_cast<int64_t>(page.items.size()) == *limit) {
          page.next = place_of(page.items.back(), {"p", "s"});
          break;
        }
        page.items.push_back(Item({{"p", Value::number(shard)}, {"s", Value::number(value)}, {"x", Value::null()}}));
      }
      return page;
    };
  }
};

std::vector<int64_t> walk(const Shards& shards, bool descending, int64_t limit) {
  std::vector<int64_t> all;
  MergeOptions options = shards.options(descending, limit);
  do {
    const auto merged = merge_shards(options, shards.fetch(descending));
    EXPECT_TRUE(merged.has_value());
    if (!merged) break;
    EXPECT_LE(merged->items.size(), static_cast<size_t>(limit));
    EXPECT_TRUE(!merged->items.empty() || merged->position.empty());
    for (const Item& item : merged->items) all.push_back(std::stoll(std::string(item.find("s")->scalar())));
    options.position = merged->position;
  } while (!options.position.empty());
  return all;
}

TEST(ShardMerge, pages_of_all_shards_are_one_list_in_order_both_ways) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 60; ++round) {
    Shards shards;
    shards.values.resize(1 + random() % 9);
    std::vector<int64_t> all;
    for (int64_t i = 0; i < static_cast<int64_t>(random() % 300); ++i) {
      shards.values[random() % shards.values.size()].push_back(i * 3);
      all.push_back(i * 3);
    }
    for (const int64_t limit : {1, 2, 7, 50, 1000}) {
      EXPECT_EQ(walk(shards, false, limit), all);
      auto reversed = all;
      std::reverse(reversed.begin(), reversed.end());
      EXPECT_EQ(walk(shards, true, limit), reversed);
    }
  }
}

TEST(ShardMerge, equal_sort_keys_of_several_shards_are_each_returned_once) {
  Shards shards;
  shards.values = {{1, 2, 2 + 1}, {1, 2}, {2, 3}};
  for (const int64_t limit : {1, 2, 3, 10}) {
    EXPECT_EQ(walk(shards, false, limit), (std::vector<int64_t>{1, 1, 2, 2, 2, 3, 3}));
  }
}

TEST(ShardMerge, shards_that_came_since_are_walked_ascending_and_left_out_descending) {
  Shards before{.values = {{10, 20, 30}}};
  Shards after{.values = {{10, 20, 30}, {40, 60}, {50}}};
  auto options = before.options(false, 2);
  auto first = merge_shards(options, before.fetch(false));
  options = after.options(false, 10);
  options.position = first->position;
  EXPECT_EQ(merge_shards(options, after.fetch(false))->items.size(), 4u);
  options = before.options(true, 2);
  first = merge_shards(options, before.fetch(true));
  options = after.options(true, 10);
  options.position = first->position;
  EXPECT_EQ(merge_shards(options, after.fetch(true))->items.size(), 1u);
}

TEST(ShardMerge, an_invalid_position_is_refused) {
  Shards shards{.values = {{1}, {2}}};
  for (const std::string position : {"x", "\x05garbage", "\xff\xff\xff\xff\xff\xff"}) {
    auto options = shards.options(false, 1);
    options.position = position;
    const auto merged = merge_shards(options, shards.fetch(false));
    ASSERT_FALSE(merged.has_value());
    EXPECT_EQ(merged.error().status, 400);
  }
}

}  // namespace
}  // namespace trestle::runtime
