#include "storage/catalog/catalog.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

#include "base/scratch_folder.h"
#include "base/steady_us.h"
#include "storage/cached_reads.h"
#include "storage/store_for_test.h"

namespace trestle {
namespace {

TableDescription table_named(std::string name) {
  TableDescription description;
  description.name = std::move(name);
  description.id = "id of " + description.name;
  description.key.hash = {{"pk", ValueType::kString}};
  description.attributes = description.key.hash;
  return description;
}

IndexDescription index_named(std::string name) {
  IndexDescription description;
  description.name = std::move(name);
  description.global = true;
  description.key.hash = {{"g", ValueType::kString}};
  return description;
}

std::unique_ptr<Catalog> load(Store& store) {
  auto catalog = Catalog::load(store);
  EXPECT_TRUE(catalog.has_value());
  return std::move(*catalog);
}

TEST(Catalog, tables_and_settings_survive_reopening) {
  ScratchFolder folder;
  {
    auto store = open_store(folder.path());
    auto catalog = load(*store);
    ASSERT_TRUE(catalog->create(table_named("b")).has_value());
    ASSERT_TRUE(catalog->create(table_named("a")).has_value());
    ASSERT_TRUE(catalog
                    ->change("a",
                             [](TableDescription changed) -> Result<TableDescription> {
                               changed.ttl_attribute = "expires";
                               return changed;
                             })
                    .has_value());
  }
  auto store = open_store(folder.path());
  auto catalog = load(*store);
  EXPECT_EQ(catalog->names(), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(catalog->find("a")->description.ttl_attribute, "expires");
  EXPECT_EQ(catalog->find("c"), nullptr);
}

TEST(Catalog, a_table_name_is_unique) {
  ScratchFolder folder;
  auto store = open_store(folder.path());
  auto catalog = load(*store);
  ASSERT_TRUE(catalog->create(table_named("a")).has_value());
  const auto again = catalog->create(table_named("a"));
  ASSERT_FALSE(again.has_value());
  EXPECT_EQ(again.error().code, ErrorCode::kResourceInUse);
}

TEST(Catalog, keyspaces_are_never_reused) {
  ScratchFolder folder;
  auto store = open_store(folder.path());
  auto catalog = load(*store);
  const uint32_t first = (*catalog->create(table_named("a")))->description.keyspace;
  ASSERT_TRUE(catalog->remove("a").has_value());
  EXPECT_EQ(catalog->dropped(), std::vector<uint32_t>{first});
  catalog = load(*store);
  EXPECT_GT((*catalog->create(table_named("a")))->description.keyspace, first);
  EXPECT_EQ(catalog->dropped(), std::vector<uint32_t>{first});
  ASSERT_TRUE(catalog->forget_dropped(first).has_value());
  EXPECT_TRUE(load(*store)->dropped().empty());
}

TEST(Catalog, a_removed_index_leaves_its_keyspace_to_be_freed) {
  ScratchFolder folder;
  auto store = open_store(folder.path());
  auto catalog = load(*store);
  ASSERT_TRUE(catalog->create(table_named("a")).has_value());
  const auto with = *catalog->change("a", [](TableDescription changed) -> Result<TableDescription> {
    changed.indexes.push_back(index_named("gix"));
    return changed;
  });
  const uint32_t keyspace = with->description.indexes[0].keyspace;
  EXPECT_NE(keyspace, 0u);
  ASSERT_TRUE(catalog
                  ->change("a",
                           [](TableDescription changed) -> Result<TableDescription> {
                             changed.indexes.clear();
                             return changed;
                           })
                  .has_value());
  EXPECT_EQ(catalog->dropped(), std::vector<uint32_t>{keyspace});
}

TEST(Catalog, a_change_waits_for_writes_in_progress) {
  ScratchFolder folder;
  auto store = open_store(folder.path());
  auto catalog = load(*store);
  ASSERT_TRUE(catalog->create(table_named("a")).has_value());
  auto writing = catalog->open_for_write("a");
  std::atomic<bool> changed{false};
  std::thread changer([&] {
    EXPECT_TRUE(catalog->change("a", [](TableDescription t) -> Result<TableDescription> { return t; }).has_value());
    changed = true;
  });
  std::this_thread::yield();
  EXPECT_FALSE(changed);  // impossible while this thread holds the table open
  writing.reset();
  changer.join();
  EXPECT_TRUE(changed);
}

TEST(Catalog, a_change_does_not_wait_for_writes_that_begin_later) {
  constexpr int kWriters = 4;
  constexpr int kWritesMax = 2000;  // then the writers end, in case the change never happens
  ScratchFolder folder;
  auto store = open_store(folder.path());
  auto catalog = load(*store);
  ASSERT_TRUE(catalog->create(table_named("a")).has_value());
  // Each write lasts until the next one has begun, so there is always a write in progress.
  std::atomic<int> begun{0};
  std::atomic<bool> stop{false};
  std::vector<std::thread> writers;
  for (int i = 0; i < kWriters; ++i) {
    writers.emplace_back([&] {
      while (!stop && begun < kWritesMax) {
        const auto table = catalog->open_for_write("a");
        const int mine = ++begun;
        const int64_t until_us = steady_us() + 2'000;
        while (begun == mine && steady_us() < until_us && !stop) std::this_thread::yield();
      }
    });
  }
  int least = kWritesMax;
  for (int attempt = 0; attempt < 5; ++attempt) {
    while (begun < kWritesMax && begun < (attempt + 1) * kWriters) std::this_thread::yield();
    const int before = begun;
    const auto changed = catalog->change(
        "a", [&](TableDescription table) -> Result<TableDescription> { return table; },
        [&](const auto&, const auto&) { least = std::min(least, begun - before); });
    EXPECT_TRUE(changed.has_value());
  }
  stop = true;
  for (auto& writer : writers) writer.join();
  EXPECT_LE(least, kWriters * 4);
}

TEST(Catalog, a_thread_that_must_not_wait_misses_a_table_whose_change_waits_for_writes) {
  ScratchFolder folder;
  auto store = open_store(folder.path());
  auto catalog = load(*store);
  ASSERT_TRUE(catalog->create(table_named("a")).has_value());
  auto writing = catalog->open_for_write("a");
  std::thread changer([&] {
    EXPECT_TRUE(
        catalog->change("a", [](TableDescription table) -> Result<TableDescription> { return table; }).has_value());
  });
  bool has_missed = false;
  std::thread reader([&] {
    const int64_t until_us = steady_us() + 30'000'000;
    while (!has_missed && steady_us() < until_us) {
      const CachedReads reads;
      has_missed = !catalog->open_for_write("a").has_value();
      EXPECT_EQ(CachedReads::missed(), has_missed);
    }
  });
  reader.join();
  EXPECT_TRUE(has_missed);
  writing.reset();
  changer.join();
}

TEST(Catalog, counts_are_exact_after_a_clean_close_and_known_to_be_stale_otherwise) {
  ScratchFolder folder;
  {
    auto store = open_store(folder.path());
    auto catalog = load(*store);
    ASSERT_TRUE(catalog->create(table_named("a")).has_value());
    catalog->find("a")->counts->add(3, 120);
    ASSERT_TRUE(catalog->save_counts().has_value());
  }
  {
    auto store = open_store(folder.path());
    auto catalog = load(*store);
    EXPECT_TRUE(catalog->counts_are_right());
    EXPECT_EQ(catalog->find("a")->counts->items, 3);
    EXPECT_EQ(catalog->find("a")->counts->bytes, 120);
  }
  auto store = open_store(folder.path());
  EXPECT_FALSE(load(*store)->counts_are_right());
}

}  // namespace
}  // namespace trestle
