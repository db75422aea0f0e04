#include "storage/store.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <functional>
#include <map>
#include <optional>
#include <thread>

#include "base/scratch_folder.h"
#include "storage/store_for_test.h"

namespace trestle {
namespace {

std::string key(uint32_t keyspace, std::string_view name) {
  const Value value = Value::string(name);
  const ValueView hash[] = {value};
  return encode_partition(keyspace, hash);
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

TEST(Store, readers_do_not_wait_for_unread_changes) {
  ScratchFolder folder;
  auto store = open_store(folder.path());
  put(*store, key(1, "a"), "1");
  const uint64_t before = store->commit_seen(key(1, "a"));
  Batch batch(*store);
  batch.set_unread();
  batch.put(Space::kItems, key(1, "a"), "2");
  batch.erase(Space::kItems, key(1, "b"));
  const auto commit = store->commit(batch);
  ASSERT_TRUE(commit.has_value());
  EXPECT_GT(*commit, before);
  EXPECT_EQ(store->commit_seen(key(1, "a")), before);
  Batch ordinary(*store);
  ordinary.put(Space::kItems, key(1, "a"), "3");
  const auto readable = store->commit(ordinary);
  ASSERT_TRUE(readable.has_value());
  EXPECT_EQ(store->commit_seen(key(1, "a")), *readable);
}

TEST(Store, commits_survive_reopening) {
  ScratchFolder folder;
  {
    auto store = open_store(folder.path());
    put(*store, key(1, "a"), "one");
  }
  auto store = open_store(folder.path());
  PinnedBytes value;
  EXPECT_EQ(*store->get(Space::kItems, key(1, "a"), value), true);
  EXPECT_EQ(value.view(), "one");
  EXPECT_EQ(*store->get(Space::kItems, key(1, "b"), value), false);
  EXPECT_EQ(*store->get(Space::kCatalog, key(1, "a"), value), false);
}

TEST(Store, a_snapshot_does_not_see_later_commits) {
  ScratchFolder folder;
  auto store = open_store(folder.path());
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
  EXPECT_EQ(walk({.range = keyspace_range(2), .after = keys[2]}),
            std::vector<std::string>(keys.begin() + 3, keys.end()));
  EXPECT_EQ(walk({.range = keyspace_range(2), .backward = true, .after = keys[2]}),
            (std::vector<std::string>{keys[1], keys[0]}));
}

uint64_t figure(const Store& store, std::string_view name) {
  std::optional<uint64_t> found;
  store.each_figure([&](const Store::Figure& figure) {
    if (figure.name == name) found = static_cast<uint64_t>(figure.value);
  });
  EXPECT_TRUE(found.has_value()) << name;
  return found.value_or(0);
}

// Scans everything and returns how many hidden entries the cursor skipped.
uint64_t scan_hidden_entries(const Store& store, bool backward, size_t expected) {
  const uint64_t before = figure(store, "hidden_entries_passed_total");
  size_t seen = 0;
  {
    auto cursor = store.cursor(Space::kItems, {.range = keyspace_range(1), .backward = backward}, store.snapshot());
    for (; cursor->valid(); cursor->next()) ++seen;
    EXPECT_TRUE(cursor->status().has_value());
  }
  EXPECT_EQ(seen, expected);
  return figure(store, "hidden_entries_passed_total") - before;
}

// Keeps scanning and writing until the condition holds. Returns false after a timeout.
bool scan_until(Store& store, bool backward, size_t expected, const std::function<bool(uint64_t hidden)>& condition) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (!condition(scan_hidden_entries(store, backward, expected))) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    Batch batch(store);
    batch.put(Space::kItems, key(2, "elsewhere"), "x");
    EXPECT_TRUE(store.commit(batch).has_value());
  }
  return true;
}

std::unique_ptr<Store> open_relaxed(const std::string& folder) {
  auto store = Store::open({.folder = folder, .durability = Durability::kRelaxed, .cache_bytes = size_t{256} << 20});
  EXPECT_TRUE(store.has_value()) << (store ? "" : store.error().message);
  return std::move(*store);
}

TEST(Store, a_scan_of_items_overwritten_often_becomes_cheap_again) {
  for (const bool backward : {false, true}) {
    ScratchFolder folder;
    auto store = open_relaxed(folder.path());
    for (int i = 0; i < 100'000; ++i) {
      Batch batch(*store);
      batch.put(Space::kItems, key(1, std::to_string(i % 100)), std::to_string(i));
      ASSERT_TRUE(store->commit(batch).has_value());
    }
    EXPECT_GE(scan_hidden_entries(*store, backward, 100), 400);
    EXPECT_EQ(figure(*store, "buffers_written_out_early_total"), 0);
    EXPECT_TRUE(scan_until(*store, backward, 100, [&](uint64_t hidden) {
      // More than one flush if scans that began before the first flush trigger another one.
      return hidden == 0 && figure(*store, "buffers_written_out_early_total") >= 1;
    }));
    PinnedBytes value;
    EXPECT_EQ(*store->get(Space::kItems, key(1, "7"), value), true);
    EXPECT_EQ(value.view(), "99907");
  }
}

TEST(Store, a_scan_over_many_deleted_items_becomes_cheap_again) {
  ScratchFolder folder;
  auto store = open_relaxed(folder.path());
  for (int i = 0; i < 20'000; ++i) {
    Batch put_batch(*store);
    put_batch.put(Space::kItems, key(1, std::to_string(i)), "x");
    ASSERT_TRUE(store->commit(put_batch).has_value());
    if (i == 0) continue;
    Batch erase_batch(*store);
    erase_batch.erase(Space::kItems, key(1, std::to_string(i)));
    ASSERT_TRUE(store->commit(erase_batch).has_value());
  }
  EXPECT_GE(scan_hidden_entries(*store, false, 1), 20'000);
  // Tombstones are dropped too: what remains is one entry in one small file.
  EXPECT_TRUE(scan_until(*store, false, 1, [&](uint64_t hidden) {
    return hidden == 0 && figure(*store, "files_bytes") > 0 && figure(*store, "files_bytes") < 10'000;
  }));
}

TEST(Store, a_buffer_full_of_superseded_values_is_flushed_early) {
  ScratchFolder folder;
  auto store = open_relaxed(folder.path());
  PinnedBytes value;
  int i = 0;
  for (; i < 10'000'000 && figure(*store, "buffers_written_out_early_total") == 0; ++i) {
    const std::string at = key(1, std::to_string(i % 100));
    const bool found = *store->get(Space::kItems, at, value);
    Batch batch(*store);
    batch.put(Space::kItems, at, std::to_string(i));
    ASSERT_TRUE(store->commit(batch).has_value());
    if (found && value.in_write_buffer()) store->note_superseded(Space::kItems);
  }
  EXPECT_GT(i, 20'000);
  EXPECT_EQ(figure(*store, "buffers_written_out_early_total"), 1u);
  EXPECT_EQ(*store->get(Space::kItems, key(1, std::to_string((i - 1) % 100)), value), true);
  EXPECT_EQ(value.view(), std::to_string(i - 1));
}

TEST(Store, a_value_read_from_a_file_is_not_in_a_write_buffer) {
  ScratchFolder folder;
  for (const bool buffered : {true, false}) {
    auto store = open_store(folder.path());  // flushes the contents of the log to files
    if (buffered) put(*store, key(1, "a"), "one");
    PinnedBytes value;
    EXPECT_EQ(*store->get(Space::kItems, key(1, "a"), value), true);
    EXPECT_EQ(value.in_write_buffer(), buffered);
    EXPECT_EQ(value.view(), "one");
  }
}

TEST(Store, readers_that_skip_nothing_cause_no_flush) {
  ScratchFolder folder;
  auto store = open_relaxed(folder.path());
  for (int i = 0; i < 10'000; ++i) {
    Batch batch(*store);
    batch.put(Space::kItems, key(1, std::to_string(i)), "x");
    ASSERT_TRUE(store->commit(batch).has_value());
  }
  for (int i = 0; i < 50; ++i) EXPECT_EQ(scan_hidden_entries(*store, i % 2 == 0, 10'000), 0);
  EXPECT_EQ(figure(*store, "buffers_written_out_early_total"), 0);
}

TEST(Store, dropping_a_range_leaves_its_neighbours) {
  ScratchFolder folder;
  auto store = open_store(folder.path());
  for (uint32_t keyspace : {1u, 2u, 3u}) put(*store, key(keyspace, "a"), "x");
  ASSERT_TRUE(store->drop_range(Space::kItems, keyspace_range(2)).has_value());
  PinnedBytes value;
  EXPECT_EQ(*store->get(Space::kItems, key(1, "a"), value), true);
  EXPECT_EQ(*store->get(Space::kItems, key(2, "a"), value), false);
  EXPECT_EQ(*store->get(Space::kItems, key(3, "a"), value), true);
}

// RocksDB estimates the entries in memory from the random heights of a skip list, sometimes with a large error.
// Therefore this uses the median of several ranges, and checks only the order of magnitude of entries in memory.
TEST(Store, approximate_counts_cover_memory_and_files) {
  ScratchFolder folder;
  constexpr std::string_view kRanges = "abcdefghi";
  const auto fill = [&](Store& store, int first) {
    for (const char range : kRanges) {
      Batch batch(store);
      for (int i = 0; i < 5'000; ++i) {
        batch.put(Space::kStreams, range + std::to_string(first + i), std::string(100, 'v'));
      }
      ASSERT_TRUE(store.commit(batch).has_value());
    }
  };
  const auto about = [](const Store& store, char begin) {
    const KeyRange range{.begin = std::string(1, begin), .end = std::string(1, static_cast<char>(begin + 1))};
    return static_cast<double>(store.approximate_count(Space::kStreams, range));
  };
  const auto median = [&](const Store& store) {
    std::vector<double> counts;
    for (const char range : kRanges) counts.push_back(about(store, range));
    std::ranges::sort(counts);
    return counts[counts.size() / 2];
  };
  const auto expect_about = [](double count, double exact) {
    EXPECT_GT(count, exact / 4);
    EXPECT_LT(count, exact * 4);
  };
  {
    auto store = open_store(folder.path());
    fill(*store, 10'000);
    expect_about(median(*store), 5'000);
    EXPECT_EQ(about(*store, 'x'), 0);
  }
  auto store = open_store(folder.path());  // the contents of the log are now in files
  EXPECT_NEAR(median(*store), 5'000, 500);
  fill(*store, 20'000);
  expect_about(median(*store), 10'000);
  EXPECT_EQ(about(*store, 'x'), 0);
}

TEST(Store, figures_include_syncs_and_the_cache) {
  ScratchFolder folder;
  {
    auto store = open_store(folder.path());
    Batch batch(*store);
    batch.put(Space::kTokens, "k", "v");
    ASSERT_TRUE(store->wait_durable(*store->commit(batch)).has_value());
  }
  auto store = open_store(folder.path());  // the key is in a file
  PinnedBytes value;
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(*store->get(Space::kTokens, "k", value));
  Batch batch(*store);
  batch.put(Space::kTokens, "k", "w");
  ASSERT_TRUE(store->wait_durable(*store->commit(batch)).has_value());
  std::map<std::string, double, std::less<>> figures;
  store->each_figure([&](const Store::Figure& figure) {
    EXPECT_TRUE(figures.emplace(figure.name, figure.value).second) << figure.name;
    EXPECT_EQ(figure.name.ends_with("_total"), figure.only_grows) << figure.name;
    EXPECT_FALSE(figure.help.empty()) << figure.name;
  });
  EXPECT_GE(figures.at("syncs_total"), 1);
  EXPECT_GE(figures.at("cache_hits_total"), 2) << "misses " << figures.at("cache_misses_total");
  EXPECT_GE(figures.at("cache_misses_total"), 1);
  EXPECT_EQ(figures.at("sync_waiters"), 0);
  EXPECT_GT(figures.at("memtable_bytes"), 0);
}

TEST(Store, data_of_a_newer_format_is_rejected_with_a_message) {
  ScratchFolder folder;
  open_store(folder.path());
  std::ofstream(folder.path() + "/FORMAT") << "trestle 2\n";
  const auto store = Store::open({.folder = folder.path()});
  ASSERT_FALSE(store.has_value());
  EXPECT_EQ(store.error().message, "the data in " + folder.path() +
                                       " has format 2, and this program knows formats up to 1: use a newer Trestle");
}

TEST(Store, a_folder_of_another_program_is_rejected) {
  ScratchFolder folder;
  std::ofstream(folder.path() + "/CURRENT") << "MANIFEST-000001\n";
  const auto store = Store::open({.folder = folder.path()});
  ASSERT_FALSE(store.has_value());
  EXPECT_NE(store.error().message.find("did not write"), std::string::npos);
}

TEST(Store, a_folder_in_use_is_rejected) {
  ScratchFolder folder;
  const auto first = open_store(folder.path());
  const auto second = Store::open({.folder = folder.path()});
  ASSERT_FALSE(second.has_value());
  EXPECT_NE(second.error().message.find("in use by another process"), std::string::npos);
}

}  // namespace
}  // namespace trestle
