// The speed-up of a graph over an exact scan, and its cost: searches per second and recall@10, for vectors like those
// of embedding models and for unstructured ones, which are the hardest.
//
//   build/vector_bench [vectors] [dimensions]
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <set>
#include <string>

#include "vector/random_vectors.h"
#include "vector/vector_partition.h"

using namespace trestle;

namespace {

double seconds_of(auto work) {
  const auto began = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
}

struct Figures {
  double exact_per_second = 0;
  double graph_per_second = 0;
  double recall = 0;
};

constexpr size_t kCount = 10;
constexpr size_t kQueries = 200;

Figures measure(const VectorPartition& partition, const std::vector<std::vector<float>>& queries) {
  std::vector<std::set<std::string>> truths;
  const double exact = seconds_of([&] {
    for (const auto& query : queries) {
      auto& truth = truths.emplace_back();
      for (auto& one : partition.search_exactly({.vector = query, .count = kCount, .tags = {}}).found) {
        truth.insert(std::move(one.key));
      }
    }
  });
  size_t found = 0;
  for (size_t i = 0; i < queries.size(); ++i) {
    for (const auto& one : partition.search({.vector = queries[i], .count = kCount, .tags = {}}).found) {
      found += truths[i].contains(one.key) ? 1 : 0;
    }
  }
  constexpr int kRounds = 10;
  const double graph = seconds_of([&] {
    for (int round = 0; round < kRounds; ++round) {
      for (const auto& query : queries) (void)partition.search({.vector = query, .count = kCount, .tags = {}});
    }
  });
  const auto count = static_cast<double>(queries.size());
  return {.exact_per_second = count / exact,
          .graph_per_second = count * kRounds / graph,
          .recall = static_cast<double>(found) / (count * kCount)};
}

Figures run(std::string_view kind, size_t vectors, size_t dimensions, bool shapeless) {
  RandomVectors random(dimensions, 1);
  const auto next = [&] { return shapeless ? random.next_shapeless() : random.next(); };
  VectorMemory memory(SIZE_MAX);
  VectorPartition partition(
      {.function = DistanceFunction::kCosine, .dimensions = dimensions, .tags = 0, .graph_rows_min = 1000}, memory);
  for (size_t i = 0; i < vectors; ++i) partition.put(fmt::format("key-{}", i), next(), {});
  const double built = seconds_of([&] {
    while (partition.build(1024)) {
    }
    partition.calibrate();
  });
  std::vector<std::vector<float>> queries;
  for (size_t i = 0; i < kQueries; ++i) queries.push_back(next());
  const Figures figures = measure(partition, queries);
  fmt::print(
      "{:9} {} x {}: exact {:.0f}/s ({}), graph {:.0f}/s = {:.1f} times, recall@10 {:.3f}, effort {}, built in {:.0f} "
      "s, "
      "{} MB\n",
      kind, vectors, dimensions, figures.exact_per_second, rank_instructions(), figures.graph_per_second,
      figures.graph_per_second / figures.exact_per_second, figures.recall, partition.effort(), built,
      memory.bytes.load() >> 20);
  return figures;
}

}  // namespace

int main(int count, char** words) {
  const size_t vectors = count > 1 ? std::strtoul(words[1], nullptr, 10) : 100'000;
  const size_t dimensions = count > 2 ? std::strtoul(words[2], nullptr, 10) : 256;
  const Figures figures = run("topics", vectors, dimensions, false);
  run("shapeless", vectors / 5, dimensions, true);
  const bool keeps_its_bounds = figures.recall >= 0.95 && figures.graph_per_second >= 20 * figures.exact_per_second;
  fmt::print("{}: 20 times the exact scan's rate, with a recall@10 of 0.95\n", keeps_its_bounds ? "PASS" : "FAIL");
  return keeps_its_bounds ? 0 : 1;
}
