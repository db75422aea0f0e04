#include "vector/vector_partition.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <set>
#include <thread>

#include "base/steady_us.h"
#include "base/test_point.h"
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

// Puts, moves and erasures of other vectors during a search must not hide a vector that is there all the time.
TEST(VectorPartition, a_search_in_slices_finds_what_is_there_throughout) {
  constexpr size_t kDimensions = 8;
  constexpr uint64_t kAnchors = 20;
  constexpr uint64_t kNear = 50;  // more than a search has candidates to spare
  constexpr uint64_t kOthers = 3000;
  const std::vector<float> query(kDimensions, 100);
  const auto at_distance = [&](float distance) {
    std::vector<float> vector = query;
    vector[0] += distance;
    return vector;
  };
  for (const size_t graph_rows_min : {size_t{100}, size_t{1'000'000}}) {
    VectorMemory memory(SIZE_MAX);
    VectorPartition partition({.function = DistanceFunction::kEuclidean,
                               .dimensions = kDimensions,
                               .tags = 0,
                               .graph_rows_min = graph_rows_min,
                               .slice_floats = kDimensions * 40},
                              memory);
    const auto put_anchor = [&](uint64_t i) {
      partition.put("anchor-" + std::to_string(i), at_distance(2 + static_cast<float>(i) / 100), {});
    };
    RandomVectors vectors(kDimensions, 1);
    for (uint64_t i = 0; i < kOthers; ++i) partition.put("other-" + std::to_string(i), vectors.next(), {});
    for (uint64_t i = 0; i < kAnchors; ++i) put_anchor(i);
    std::atomic<bool> done{false};
    std::vector<std::thread> threads;
    threads.emplace_back([&] {
      while (!done) {
        partition.build(20);
        std::this_thread::yield();
      }
    });
    threads.emplace_back([&] {
      RandomVectors random(kDimensions, 2);
      while (!done) {
        put_anchor(random.below(kAnchors));
        const std::string near = "near-" + std::to_string(random.below(kNear));
        if (random.below(2) == 0) partition.put(near, at_distance(1), {});
        if (random.below(2) == 0) partition.erase(near);
        const std::string other = "other-" + std::to_string(random.below(kOthers));
        partition.erase(other);
        partition.put(other, random.next(), {});
        std::this_thread::yield();
      }
    });
    for (int i = 0; i < 300 && !testing::Test::HasFailure(); ++i) {
      const auto answer = partition.search_exactly({.vector = query, .count = kAnchors + kNear, .tags = {}});
      std::set<std::string> keys;
      uint64_t anchors = 0;
      for (const auto& match : answer.found) {
        EXPECT_TRUE(keys.insert(match.key).second) << match.key << " was found twice";
        anchors += match.key.starts_with("anchor") ? 1 : 0;
      }
      EXPECT_EQ(anchors, kAnchors) << "search " << i;
      EXPECT_EQ(answer.found.size(), kAnchors + kNear);
    }
    done = true;
    for (auto& thread : threads) thread.join();
  }
}

#ifdef TRESTLE_HAS_TEST_POINTS

constexpr size_t kFewDimensions = 4;

// Partitions whose searches release the lock after every 100 vectors. `between_slices` is then called by the searching
// thread.
struct InSlices {
  VectorMemory memory{SIZE_MAX};
  VectorPartition partition{{.function = DistanceFunction::kEuclidean,
                             .dimensions = kFewDimensions,
                             .tags = 1,
                             .graph_rows_min = 500,
                             .slice_floats = 100 * kFewDimensions},
                            memory};
  Model model;
  RandomVectors vectors;
  std::function<void()> between_slices;
  size_t searches_under_lock = 0;
  TestPoints::Hook hook{[this](std::string_view point) {
    if (point == "vectors.slice" && between_slices) between_slices();
    if (point == "vectors.search_under_lock") ++searches_under_lock;
  }};

  explicit InSlices(uint64_t seed) : vectors(kFewDimensions, seed) {}
  void put(const std::string& key, const std::vector<float>& vector, uint64_t tag = 1) {
    partition.put(key, vector, {&tag, 1});
    model[key] = {.vector = vector, .tag = tag};
  }
  void put(size_t i) { put("key-" + std::to_string(i), vectors.next(), 1 + vectors.below(3)); }
  void erase(const std::string& key) {
    partition.erase(key);
    model.erase(key);
  }
  // The number of the closest vectors that a search found. With `tag` 0 there is no filter.
  size_t found(const VectorPartition::Answer& answer, const std::vector<float>& query, size_t count, uint64_t tag) {
    const auto expected = exact_closest(model, DistanceFunction::kEuclidean, query, count, tag);
    std::set<std::string> keys;
    for (const auto& match : answer.found) {
      EXPECT_TRUE(keys.insert(match.key).second) << match.key << " was found twice";
      EXPECT_TRUE(model.contains(match.key) && (tag == 0 || model[match.key].tag == tag)) << match.key;
    }
    EXPECT_EQ(answer.found.size(), expected.size());
    return count_found(expected, answer);
  }
};

TEST(VectorPartition, a_search_while_a_graph_is_dissolved_is_not_repeated) {
  constexpr size_t kCount = 100;  // far more than a search has candidates to spare
  for (const bool exactly : {true, false}) {
    InSlices db(1);
    for (size_t i = 0; i < 3000; ++i) db.put(i);
    build_all(db.partition);
    ASSERT_GT(db.partition.effort(), 0u);
    for (size_t i = 0; i < 2000; ++i) db.put(i);
    ASSERT_EQ(db.partition.size_in_graph(), 1000u);
    int slices = 0;
    db.between_slices = [&] {
      if (++slices % 5 == 0) db.partition.build(8);
    };
    const auto query = db.vectors.next();
    const VectorPartition::Query search_query{.vector = query, .count = kCount, .tags = {}};
    const auto answer = exactly ? db.partition.search_exactly(search_query) : db.partition.search(search_query);
    db.between_slices = nullptr;
    EXPECT_GE(db.found(answer, query, kCount, 0), exactly ? kCount - 1 : kCount * 9 / 10);
    EXPECT_LT(db.partition.size_in_graph(), 900u);
    EXPECT_EQ(db.searches_under_lock, 0u);
  }
}

TEST(VectorPartition, a_search_of_a_graph_finds_others_in_place_of_erased_candidates) {
  constexpr size_t kCount = 10;
  InSlices db(1);
  for (size_t i = 0; i < 3000; ++i) db.put(i);
  build_all(db.partition);
  ASSERT_GT(db.partition.effort(), 0u);
  ASSERT_LT(db.partition.effort(), 60u);
  const auto query = db.vectors.next();
  for (size_t i = 0; i < 400; ++i) db.put("far-" + std::to_string(i), std::vector<float>(kFewDimensions, 10'000));
  const auto closest = exact_closest(db.model, DistanceFunction::kEuclidean, query, 58, 0);
  db.between_slices = [&] {
    for (const auto& key : closest) db.erase(key);
    db.between_slices = nullptr;
  };
  const auto answer = db.partition.search({.vector = query, .count = kCount, .tags = {}});
  EXPECT_GE(db.found(answer, query, kCount, 0), kCount - 2);
  EXPECT_EQ(db.searches_under_lock, 0u);
}

TEST(VectorPartition, a_search_during_too_many_changes_is_repeated_in_slices_first) {
  constexpr size_t kCount = 10;
  constexpr size_t kPuts = 21'000;  // more than are noted
  InSlices db(1);
  for (size_t i = 0; i < 400; ++i) db.put(i);
  const auto query = db.vectors.next();
  // A slice of the first search, then one of the second and one of its first repetition, which has 210 slices.
  size_t slice = 0;
  db.between_slices = [&] {
    ++slice;
    if (slice != 1 && slice != 1001 && slice != 1301) return;
    for (size_t i = 0; i < kPuts; ++i) db.put(i);
  };
  for (const size_t locked : {0u, 1u}) {
    const auto answer = db.partition.search_exactly({.vector = query, .count = kCount, .tags = {}});
    EXPECT_GE(db.found(answer, query, kCount, 0) + 1, kCount);
    EXPECT_EQ(db.searches_under_lock, locked);
    slice = 1000;
  }
}

// Filters, puts, erasures and all phases of a graph, at random between the slices of a search.
TEST(VectorPartition, a_search_in_slices_finds_what_is_there_at_its_end) {
  constexpr size_t kKeys = 2000;
  const uint64_t seed = std::random_device{}();
  SCOPED_TRACE(seed);
  InSlices db(seed);
  for (size_t i = 0; i < kKeys; ++i) db.put(i);
  db.partition.build(kKeys / 2);
  db.partition.calibrate();
  size_t wanted = 0;
  size_t found = 0;
  for (int round = 0; round < 50; ++round) {
    const auto query = db.vectors.next();
    const size_t count = 1 + db.vectors.below(60);
    const uint64_t tag = db.vectors.below(4);
    const size_t changes = db.vectors.below(40);
    const size_t built = db.vectors.below(30);
    const auto near = exact_closest(db.model, DistanceFunction::kEuclidean, query, 20, tag);
    size_t next_near = 0;
    db.between_slices = [&] {
      for (size_t i = 0; i < changes; ++i) {
        std::string key = "key-" + std::to_string(db.vectors.below(kKeys));
        if (i == 0 && next_near < near.size()) key = near[next_near++];
        if (db.vectors.below(4) == 0) {
          db.erase(key);
        } else {
          db.put(key, db.vectors.next(), 1 + db.vectors.below(3));
        }
      }
      db.partition.build(built);
    };
    const VectorPartition::Query search_query{.vector = query, .count = count, .tags = {&tag, 1}};
    const bool exactly = db.vectors.below(2) == 0;
    const auto answer = exactly ? db.partition.search_exactly(search_query) : db.partition.search(search_query);
    db.between_slices = nullptr;
    const size_t right = db.found(answer, query, count, tag);
    if (exactly) {
      ASSERT_GE(right + 1, answer.found.size()) << "round " << round;
    } else {
      wanted += answer.found.size();
      found += right;
    }
    if (round % 10 == 0) db.partition.calibrate();
  }
  EXPECT_GE(static_cast<double>(found), 0.9 * static_cast<double>(wanted));
}

#endif

TEST(VectorPartition, a_put_does_not_wait_for_a_long_search) {
  constexpr size_t kDimensions = 512;
  constexpr int kPuts = 15;
  VectorMemory memory(SIZE_MAX);
  VectorPartition partition({.function = DistanceFunction::kEuclidean,
                             .dimensions = kDimensions,
                             .tags = 0,
                             .graph_rows_min = SIZE_MAX,
                             .slice_floats = kDimensions * 1000},
                            memory);
  const std::vector<float> vector(kDimensions, 1);
  for (int i = 0; i < 60'000; ++i) partition.put(std::to_string(i), vector, {});
  bool is_quick = false;
  for (int attempt = 0; attempt < 5 && !is_quick; ++attempt) {
    std::atomic<bool> done{false};
    int64_t search_us = std::numeric_limits<int64_t>::max();
    std::thread searcher([&] {
      while (!done) {
        const int64_t began_us = steady_us();
        (void)partition.search({.vector = vector, .count = 10, .tags = {}});
        search_us = std::min(search_us, steady_us() - began_us);
      }
    });
    std::vector<int64_t> put_us;
    for (int i = 0; i < kPuts; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(3));
      const int64_t began_us = steady_us();
      partition.put("0", vector, {});
      put_us.push_back(steady_us() - began_us);
    }
    done = true;
    searcher.join();
    std::ranges::sort(put_us);
    is_quick = put_us[kPuts / 2] < search_us / 5;  // a put that waits for a search waits for half of it on average
  }
  EXPECT_TRUE(is_quick);
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
