#include "storage/store.h"

#include <gtest/gtest.h>

#include <fstream>

#include "base/scratch_folder.h"

namespace trestle {
namespace {

std::string key(uint32_t keyspace, std::string_view name) {
  const Value value = Value::string(name);
  const ValueView hash[] = {value};
  return encode_partition(keyspace, hash);
}

std::unique_ptr<Store> open(const std::string& folder) {
  auto store = Store::open({.folder = folder, .cache_bytes = size_t{8} << 20});
  EXPECT_TRUE(store.has_value()) << (store ? "" : store.error().message);
  return std::move(*store);
}

void put(Store& store, const std::string& at, std::string_view value) {
  Batch batch(store);
  batch.put(Space::kItems, at, value);
  const auto commit = store.commit(batch);
  ASSERT_TRUE(commit.has_value());
  EXPECT_EQ(store.commit_seen(at), *commit);
  ASSERT_TRUE(store.wait_durable(*commit).has_value());
  EXPECT_GE(store.durable_commit(), *commit);
}

TEST(Store, what_was_committed_is_there_after_reopening) {
  ScratchFolder folder;
  {
    auto store = open(folder.path());
    put(*store, key(1, "a"), "one");
  }
  auto store = open(folder.path());
  PinnedBytes value;
  EXPECT_EQ(*store->get(Space::kItems, key(1, "a"), value), true);
  EXPECT_EQ(value.view(), "one");
  EXPECT_EQ(*store->get(Space::kItems, key(1, "b"), value), false);
  EXPECT_EQ(*store->get(Space::kCatalog, key(1, "a"), value), false);
}

TEST(Store, a_snapshot_does_not_see_later_commits) {
  ScratchFolder folder;
  auto store = open(folder.path());
  put(*store, key(1, "a"), "old");
  const auto snapshot = store->snapshot();
  put(*store, key(1, "a"), "new");
  PinnedBytes value;
  EXPECT_EQ(*store->get(Space::kItems, key(1, "a"), value, *snapshot), true);
  EXPECT_EQ(value.view(), "old");
  auto cursor = store->cursor(Space::kItems, {.range = keyspace_range(1)}, snapshot);
  ASSERT_TRUE(cursor->valid());
  EXPECT_EQ(cursor->value(), "old");
}

TEST(Store, a_cursor_walks_its_range_in_both_directions_and_resumes) {
  auto opened = Store::open({.in_memory = true, .cache_bytes = size_t{8} << 20});
  ASSERT_TRUE(opened.has_value());
  Store& store = **opened;
  std::vector<std::string> keys;
  for (char c = 'a'; c <= 'e'; ++c) keys.push_back(key(2, std::string(1, c)));
  std::sort(keys.begin(), keys.end());
  for (const std::string& k : keys) put(store, k, k);
  put(store, key(1, "x"), "before");
  put(store, key(3, "x"), "after");
  const auto walk = [&](CursorOptions options) {
    std::vector<std::string> seen;
    auto cursor = store.cursor(Space::kItems, std::move(options), nullptr);
    for (; cursor->valid(); cursor->next()) seen.emplace_back(cursor->key());
    EXPECT_TRUE(cursor->status().has_value());
    return seen;
  };
  EXPECT_EQ(walk({.range = keyspace_range(2)}), keys);
  EXPECT_EQ(walk({.range = keyspace_range(2), .backward = true}), std::vector<std::string>(keys.rbegin(), keys.rend()));
  EXPECT_EQ(walk({.range = keyspace_range(2), .after = keys[2]}), std::vector<std::string>(keys.begin() + 3, keys.end()));
  EXPECT_EQ(walk({.range = keyspace_range(2), .backward = true, .after = keys[2]}),
            (std::vector<std::string>{keys[1], keys[0]}));
}

TEST(Store, a_dropped_range_is_gone_and_its_neighbours_stay) {
  ScratchFolder folder;
  auto store = open(folder.path());
  for (uint32_t keyspace : {1u, 2u, 3u}) put(*store, key(keyspace, "a"), "x");
  ASSERT_TRUE(store->drop_range(Space::kItems, keyspace_range(2)).has_value());
  PinnedBytes value;
  EXPECT_EQ(*store->get(Space::kItems, key(1, "a"), value), true);
  EXPECT_EQ(*store->get(Space::kItems, key(2, "a"), value), false);
  EXPECT_EQ(*store->get(Space::kItems, key(3, "a"), value), true);
}

TEST(Store, data_of_a_newer_format_is_refused_with_a_sentence) {
  ScratchFolder folder;
  open(folder.path());
  std::ofstream(folder.path() + "/FORMAT") << "trestle 2\n";
  const auto store = Store::open({.folder = folder.path()});
  ASSERT_FALSE(store.has_value());
  EXPECT_EQ(store.error().message, "the data in " + folder.path() +
                                       " has format 2, and this program knows formats up to 1: use a newer Trestle");
}

TEST(Store, a_folder_of_something_else_is_refused) {
  ScratchFolder folder;
  std::ofstream(folder.path() + "/CURRENT") << "MANIFEST-000001\n";
  const auto store = Store::open({.folder = folder.path()});
  ASSERT_FALSE(store.has_value());
  EXPECT_NE(store.error().message.find("did not write"), std::string::npos);
}

TEST(Store, a_folder_in_use_is_refused) {
  ScratchFolder folder;
  const auto first = open(folder.path());
  const auto second = Store::open({.folder = folder.path()});
  ASSERT_FALSE(second.has_value());
  EXPECT_NE(second.error().message.find("in use by another process"), std::string::npos);
}

}  // namespace
}  // namespace trestle
