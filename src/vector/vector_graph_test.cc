#include "vector/vector_graph.h"

#include <gtest/gtest.h>

#include <thread>

#include "vector/distance.h"
#include "vector/random_vectors_for_test.h"

namespace trestle {
namespace {

constexpr size_t kGraphDimensions = 16;

TEST(VectorGraph, a_full_graph_grows_while_it_is_searched_and_vectors_are_deleted) {
  RandomVectors vectors(kGraphDimensions, 1);
  const auto graph = VectorGraph::make(DistanceFunction::kEuclidean, kGraphDimensions, 500);
  ASSERT_TRUE(graph);
  std::vector<std::vector<float>> added;
  uint32_t deleted = 0;
  for (int growths = 0; growths < 5; ++growths) {
    while (!graph->is_full()) {
      added.push_back(vectors.next());
      ASSERT_TRUE(graph->add(added.back().data()));
    }
    ASSERT_FALSE(graph->add(added.back().data()));
    std::shared_ptr<VectorGraph::Growth> growth;
    std::thread builder([&] { growth = graph->prepare_growth(); });
    for (int i = 0; i < 20; ++i) {
      EXPECT_EQ(graph->search(added.back().data(), 20).size(), 20u);
      graph->mark_deleted(deleted++);
    }
    builder.join();
    ASSERT_TRUE(growth && graph->grow(*growth));
    ASSERT_FALSE(graph->is_full());
    ASSERT_EQ(graph->size(), added.size());
    ASSERT_EQ(graph->deleted_count(), deleted);
    size_t found = 0;
    for (uint32_t number = 0; number < added.size(); ++number) {
      ASSERT_EQ(graph->is_deleted(number), number < deleted);
      ASSERT_TRUE(std::equal(added[number].begin(), added[number].end(), graph->vector(number)));
      for (const auto& near : graph->search(added[number].data(), 30)) found += near.number == number ? 1 : 0;
    }
    EXPECT_GE(found, (added.size() - deleted) * 95 / 100);
  }
}

}  // namespace
}  // namespace trestle
