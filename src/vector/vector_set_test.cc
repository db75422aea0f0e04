#include "vector/vector_set.h"

#include <gtest/gtest.h>

#include <map>
#include <thread>

namespace trestle {
namespace {

// In each round a write races with the beginning of a load. Whichever comes first, the set must then contain the entry.
TEST(VectorSet, a_change_while_a_load_begins_is_not_lost) {
  VectorMemory memory(size_t{64} << 20);
  VectorSet set({.function = DistanceFunction::kEuclidean, .dimensions = 2, .tags = 0, .graph_rows_min = 1'000'000},
                memory);
  const std::vector<float> vector{1, 2};
  constexpr int kRounds = 3000;
  for (int round = 0; round < kRounds; ++round) {
    Mutex mutex;
    std::map<std::string, std::vector<float>> store;
    std::atomic<bool> go{false};
    std::thread writer([&] {
      while (!go) continue;
      for (int pause = 0; pause < round % 97; ++pause) std::atomic_signal_fence(std::memory_order_seq_cst);
      {
        MutexLock lock(mutex);
        store["key"] = vector;
      }
      set.put({.partition = "p", .key = "key", .vector = vector, .tags = {}});
    });
    go = true;
    set.begin_load();
    std::map<std::string, std::vector<float>> snapshot;
    {
      MutexLock lock(mutex);
      snapshot = store;
    }
    for (const auto& [key, value] : snapshot) {
      ASSERT_TRUE(set.load({.partition = "p", .key = key, .vector = value, .tags = {}}));
    }
    set.finish_load();
    writer.join();
    const auto found = set.search("p", {.vector = vector, .count = 1, .tags = {}});
    ASSERT_TRUE(found.has_value());
    ASSERT_EQ(found->found.size(), 1u) << "round " << round;
  }
}

TEST(VectorSet, vectors_that_are_in_use_are_not_freed_by_their_user) {
  VectorMemory memory(size_t{64} << 20);
  VectorSet set({.function = DistanceFunction::kEuclidean, .dimensions = 2, .tags = 0, .graph_rows_min = 1'000'000},
                memory);
  set.begin_load();
  set.finish_load();
  const std::vector<float> vector{1, 2};
  for (const bool reloads : {false, true}) {
    set.put({.partition = "p", .key = "key", .vector = vector, .tags = {}});
    auto used = set.find("p");
    ASSERT_TRUE(used);
    std::atomic<bool> is_freed{false};
    std::thread job([&] {
      if (reloads) set.begin_load();
      if (!reloads) set.free_vectors();
      is_freed = true;
    });
    while (set.find("p")) std::this_thread::yield();
    EXPECT_FALSE(is_freed);
    EXPECT_EQ(used->search({.vector = vector, .count = 1, .tags = {}}).found.size(), 1u);
    EXPECT_GT(memory.bytes, 0u);
    used.reset();
    job.join();
    EXPECT_EQ(memory.bytes, 0u);
  }
}

}  // namespace
}  // namespace trestle
