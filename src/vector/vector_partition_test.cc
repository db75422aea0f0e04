#include "vector/vector_partition.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <thread>

#include "vector/random_vectors_for_test.h"

namespace trestle {
namespace {

struct Stored {
  std::vector<float> vector;
  uint64_t tag = 0;
};
using Model = std::map<std::string, Stored>;

// The expected result of a search, by exact scores.
std::vector<std::string> exact_closest(const Model& model, DistanceFunction function, const std::vector<float>& query,
                                       size_t count, uint64_t tag) {
  std::vector<std::pair<double, std::string>> all;
  for (const auto& [key, stored] : model) {
    if (tag != 0 && stored.tag != tag) continue;
    const double exact = score(function, query, stored.vector);
    all.emplace_back(function == DistanceFunction::kDotProduct ? -exact : exact, key);
  }
  std::ranges::sort(all);
  if (all.size() > count) all.resize(count);
  std::vector<std::string> keys;
  for (auto& [exact, key] : all) keys.push_back(std::move(key));
  return keys;
}

size_t count_found(const std::vector<std::string>& expected, const VectorPartition::Answer& answer) {
  const std::set<std::string> wanted(expected.begin(), expected.end());
  return static_cast<size_t>(
      std::ranges::count_if(answer.found, [&](const auto& found) { return wanted.contains(found.key); }));
}

void build_all(VectorPartition& partition) {
  while (partition.build(64)) {
  }
  partition.calibrate();
}

class PartitionOf : public testing::TestWithParam<DistanceFunction> {};

INSTANTIATE_TEST_SUITE_P(every_function, PartitionOf, testing::ValuesIn(kEveryDistanceFunction));

TEST_P(PartitionOf, finds_the_closest_despite_puts_replacements_and_erasures) {
  constexpr size_t kDimensions = 24;
  const uint64_t seed = std::random_device{}();
  SCOPED_TRACE(seed);
  RandomVectors vectors(kDimensions, seed);
  VectorMemory memory(SIZE_MAX);
  VectorPartition partition({.function = GetParam(), .dimensions = kDimensions, .tags = 1, .graph_rows_min = 200},
                            memory);
  Model model;
  size_t wanted = 0;
  size_t found = 0;
  for (int step = 0; step < 4000; ++step) {
    const std::string key = "key-" + std::to_string(vectors.below(1500));
    if (vectors.below(4) == 0) {
      partition.erase(key);
      model.erase(key);
    } else {
      const Stored stored{.vector = vectors.next(), .tag = 1 + vectors.below(3)};
      partition.put(key, stored.vector, {&stored.tag, 1});
      model[key] = stored;
    }
    if (step % 50 == 0) {
      partition.build(100);
      partition.calibrate();
    }
    if (step % 20 != 0) continue;
    ASSERT_EQ(partition.size(), model.size());
    const auto query = vectors.next();
    const uint64_t tag = vectors.below(4);
    const auto expected = exact_closest(model, GetParam(), query, 10, tag);
    const VectorPartition::Query search_query{.vector = query, .count = 10, .tags = {&tag, 1}};
    // With 32 bits, two vectors with almost equal distances may be swapped at the end of the list.
    ASSERT_GE(count_found(expected, partition.search_exactly(search_query)) + 1, expected.size());
    const auto answer = partition.search(search_query);
    ASSERT_EQ(answer.found.size(), expected.size());
    for (const auto& one : answer.found) ASSERT_TRUE(tag == 0 || model[one.key].tag == tag);
    wanted += expected.size();
    found += count_found(expected, answer);
  }
  EXPECT_GE(static_cast<double>(found) / static_cast<double>(wanted), 0.95);
}

TEST_P(PartitionOf, recall_at_ten_is_at_least_0_95) {
  constexpr size_t kDimensions = 64;
  RandomVectors vectors(kDimensions, 7);
  VectorMemory memory(SIZE_MAX);
  VectorPartition partition({.function = GetParam(), .dimensions = kDimensions, .tags = 0, .graph_rows_min = 1000},
                            memory);
  for (int i = 0; i < 6000; ++i) partition.put("key-" + std::to_string(i), vectors.next(), {});
  build_all(partition);
  ASSERT_EQ(partition.size_in_graph(), 6000u);
  EXPECT_GT(partition.effort(), 0u);
  for (const size_t count : {10u, 100u}) {
    size_t found = 0;
    for (int i = 0; i < 100; ++i) {
      const auto query = vectors.next();
      const auto exact = partition.search_exactly({.vector = query, .count = count, .tags = {}});
      std::vector<std::string> expected;
      for (const auto& one : exact.found) expected.push_back(one.key);
      found += count_found(expected, partition.search({.vector = query, .count = count, .tags = {}}));
    }
    EXPECT_GE(static_cast<double>(found), 0.95 * 100 * static_cast<double>(count)) << "at " << count;
  }
}

TEST(VectorPartition, a_vector_is_found_as_soon_as_it_is_put_and_not_after_it_is_erased) {
  RandomVectors vectors(16, 1);
  VectorMemory memory(SIZE_MAX);
  VectorPartition partition(
      {.function = DistanceFunction::kEuclidean, .dimensions = 16, .tags = 0, .graph_rows_min = 100}, memory);
  for (int i = 0; i < 1000; ++i) partition.put("key-" + std::to_string(i), vectors.next(), {});
  build_all(partition);
  for (int i = 0; i < 300; ++i) {
    const auto vector = vectors.next();
    const VectorPartition::Query query{.vector = vector, .count = 1, .tags = {}};
    partition.put("new", vector, {});
    ASSERT_EQ(partition.search(query).found.at(0).key, "new");
    partition.erase("new");
    ASSERT_NE(partition.search(query).found.at(0).key, "new");
    partition.build(10);
  }
}

TEST(VectorPartition, a_graph_with_many_deleted_vectors_is_rebuilt) {
  RandomVectors vectors(8, 1);
  VectorMemory memory(SIZE_MAX);
  VectorPartition partition(
      {.function = DistanceFunction::kEuclidean, .dimensions = 8, .tags = 0, .graph_rows_min = 100}, memory);
  for (int i = 0; i < 4000; ++i) partition.put("key-" + std::to_string(i), vectors.next(), {});
  build_all(partition);
  const size_t before = memory.bytes;
  for (int i = 0; i < 3000; ++i) partition.erase("key-" + std::to_string(i));
  build_all(partition);
  EXPECT_EQ(partition.size(), 1000u);
  EXPECT_EQ(partition.size_in_graph(), 1000u);
  EXPECT_LT(memory.bytes, before / 2);
}

TEST(VectorPartition, erased_vectors_take_no_memory) {
  VectorMemory memory(SIZE_MAX);
  {
    RandomVectors vectors(8, 1);
    VectorPartition partition(
        {.function = DistanceFunction::kCosine, .dimensions = 8, .tags = 2, .graph_rows_min = 100}, memory);
    const uint64_t tags[] = {1, 0};
    for (int i = 0; i < 500; ++i) partition.put("key-" + std::to_string(i), vectors.next(), tags);
    EXPECT_GT(memory.bytes, 500u * 8 * sizeof(float));
  }
  EXPECT_EQ(memory.bytes, 0u);
}

TEST(VectorPartition, searches_writes_and_building_may_run_concurrently) {
  VectorMemory memory(SIZE_MAX);
  VectorPartition partition({.function = DistanceFunction::kCosine, .dimensions = 8, .tags = 1, .graph_rows_min = 200},
                            memory);
  std::atomic<bool> done{false};
  std::thread builder([&] {
    while (!done) {
      partition.build(20);
      partition.calibrate();
    }
  });
  std::vector<std::thread> threads;
  for (uint64_t t = 0; t < 3; ++t) {
    threads.emplace_back([&, t] {
      RandomVectors vectors(8, t);
      for (int i = 0; i < 1500; ++i) {
        const std::string key = std::to_string(t) + "-" + std::to_string(vectors.below(400));
        const uint64_t tag = 1 + vectors.below(2);
        if (i % 5 == 0) partition.erase(key);
        if (i % 5 != 0) partition.put(key, vectors.next(), {&tag, 1});
        const auto query = vectors.next();
        if (i % 3 == 0) (void)partition.search({.vector = query, .count = 5, .tags = {&tag, 1}});
      }
    });
  }
  for (auto& thread : threads) thread.join();
  done = true;
  builder.join();
  EXPECT_LE(partition.size(), 1200u);
}

TEST(VectorPartition, a_search_that_may_compare_too_many_numbers_is_not_done) {
  constexpr size_t kSize = 4000;
  RandomVectors vectors(16, 1);
  VectorMemory memory(SIZE_MAX);
  VectorPartition partition(
      {.function = DistanceFunction::kEuclidean, .dimensions = 16, .tags = 1, .graph_rows_min = 1000}, memory);
  for (size_t i = 0; i < kSize; ++i) {
    const uint64_t tag = 1 + i % 2;
    partition.put("key-" + std::to_string(i), vectors.next(), {&tag, 1});
  }
  const auto query = vectors.next();
  const auto takes_long = [&](uint64_t tag, size_t vectors_max) {
    const auto answer =
        partition.search({.vector = query, .count = 10, .tags = {&tag, 1}, .floats_max = vectors_max * 16});
    EXPECT_NE(answer.takes_long, answer.found.size() == 10);
    return answer.takes_long;
  };
  EXPECT_TRUE(takes_long(0, kSize - 1)) << "without a graph, all vectors are compared";
  EXPECT_FALSE(takes_long(0, kSize));
  build_all(partition);
  ASSERT_EQ(partition.size_in_graph(), kSize);
  if (partition.effort() > 0) EXPECT_FALSE(takes_long(0, kSize - 1)) << "effort " << partition.effort();
  EXPECT_TRUE(takes_long(0, 10));
  EXPECT_TRUE(takes_long(2, kSize - 1)) << "a filter visits all vectors";
}

TEST(VectorPartition, a_graph_is_dissolved_in_steps_during_which_everything_is_found) {
  constexpr size_t kSize = 6000;
  RandomVectors vectors(8, 1);
  VectorMemory memory(SIZE_MAX);
  VectorPartition partition(
      {.function = DistanceFunction::kEuclidean, .dimensions = 8, .tags = 0, .graph_rows_min = 100}, memory);
  Model model;
  const auto put = [&](size_t i) {
    const std::string key = "key-" + std::to_string(i);
    model[key] = {.vector = vectors.next(), .tag = 0};
    partition.put(key, model[key].vector, {});
  };
  for (size_t i = 0; i < kSize; ++i) put(i);
  build_all(partition);
  for (size_t i = 0; i < kSize / 2; ++i) put(i);
  ASSERT_TRUE(partition.wants_building());
  size_t steps = 0;
  size_t in_graph = partition.size_in_graph();
  while (in_graph > 0) {
    ASSERT_TRUE(partition.build(4));
    ASSERT_LE(partition.size_in_graph(), in_graph);
    in_graph = partition.size_in_graph();
    put(vectors.below(kSize));
    ASSERT_EQ(partition.size(), kSize);
    for (int i = 0; i < 3; ++i) {
      const std::string key = "key-" + std::to_string(vectors.below(kSize));
      const auto answer = partition.search({.vector = model[key].vector, .count = 1, .tags = {}});
      ASSERT_EQ(answer.found.at(0).key, key);
    }
    ++steps;
  }
  EXPECT_GT(steps, 10u);
  build_all(partition);
  EXPECT_EQ(partition.size_in_graph(), kSize);
}

}  // namespace
}  // namespace trestle
