// The in-memory vectors covered by one search: those of an index, or of one value of its partition key.
//
// New vectors go into rows (vector/vector_rows.h), which are searched exactly. If there are many, build() moves them
// into a graph (vector/vector_graph.h) in small steps, and searches cover both. So a vector can be found as soon as it
// is put, and put() never waits for a graph. The search effort of a graph is measured: after a change of size,
// calibrate() searches for stored vectors and recent queries, compares with the exact result, and picks the least
// effort that finds kRecallWanted of the ten closest. A graph that cannot reach it is searched exactly.
//
// Thread-safe, but only one thread at a time may build and calibrate.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/mutex.h"
#include "vector/distance.h"
#include "vector/vector_graph.h"
#include "vector/vector_rows.h"

namespace trestle {

// The memory limit for the vectors of all indexes together.
struct VectorMemory {
  explicit VectorMemory(size_t max) : bytes_max(max) {}
  const size_t bytes_max;
  std::atomic<size_t> bytes{0};
  bool is_full() const { return bytes.load(std::memory_order_relaxed) > bytes_max; }
};

struct VectorSpace {
  DistanceFunction function = DistanceFunction::kCosine;
  size_t dimensions = 0;
  size_t tags = 0;            // how many filters each vector has
  size_t graph_rows_min = 0;  // with fewer vectors there is no graph
};

class VectorPartition {
 public:
  static constexpr double kRecallWanted = 0.98;

  VectorPartition(const VectorSpace& space, VectorMemory& memory);
  ~VectorPartition();

  // Adds a vector or replaces the vector of `key`. `tags` are the values that filters compare; 0: absent.
  void put(std::string_view key, std::span<const float> vector, std::span<const uint64_t> tags);
  void erase(std::string_view key);

  struct Query {
    std::span<const float> vector;
    size_t count = 0;
    std::span<const uint64_t> tags;  // 0: any
  };
  struct Found {
    std::string key;
    float rank = 0;
  };
  struct Answer {
    std::vector<Found> found;  // the closest first
    size_t examined = 0;
  };
  Answer search(const Query& query) const;
  // Without a graph's help: the truth.
  Answer search_exactly(const Query& query) const;

  // Whether build() has something to do, and whether calibrate() has.
  bool wants_building() const { return wants_building_.load(std::memory_order_relaxed); }
  bool wants_calibration() const { return wants_calibration_.load(std::memory_order_relaxed); }
  // Moves up to so many vectors into the graph, or allocates a new one. False: there is nothing to do.
  bool build(size_t vectors_max);
  // Measures the graph, if it has changed much since; false: it was not due.
  bool calibrate();

  size_t size() const;
  size_t size_in_graph() const;
  // How hard the graph is searched; 0: it is not.
  size_t effort() const { return effort_.load(std::memory_order_relaxed); }

 private:
  // The location of a key's vector: a row, or a number in the graph.
  struct Place {
    uint32_t at : 31;
    uint32_t in_graph : 1;
  };
  struct Candidate {
    float rank;
    Place place;
    friend bool operator<(const Candidate& a, const Candidate& b) { return a.rank < b.rank; }
  };
  class Closest;
  class Reading;
  class Writing;

  std::vector<float> prepared(std::span<const float> vector) const;
  bool matches(const uint64_t* tags, std::span<const uint64_t> wanted) const;
  const uint64_t* graph_tags(uint32_t number) const { return graph_tags_.data() + number * space_.tags; }
  void search_rows(const float* query, std::span<const uint64_t> tags, Closest& closest) const;
  void scan_graph(const float* query, std::span<const uint64_t> tags, Closest& closest) const;
  size_t walk_graph(const float* query, const Query& wanted, size_t effort, Closest& closest) const;
  // Enough effort for a filter that so many of all pass; nothing: look at those that pass.
  std::optional<size_t> effort_for(const Query& query) const;
  Answer answer(const Closest& closest, size_t examined) const;
  void remove(const std::string& key, Place place);
  bool is_building_due() const;
  bool is_stale() const;  // too much of the graph is deleted
  void dissolve_graph();
  void account();
  void note_query(std::span<const float> vector) const;
  std::vector<std::vector<float>> sample_queries() const;
  double recall(const std::vector<std::vector<float>>& queries, const std::vector<std::vector<uint32_t>>& truths,
                size_t effort) const;

  const VectorSpace space_;
  VectorMemory& memory_;

  // A reader passes through the turn, a writer keeps it: so neither waits for ever.
  mutable std::mutex turn_;
  mutable std::shared_mutex mutex_;  // guards all up to effort_
  std::unordered_map<std::string, Place> places_;
  VectorRows rows_;
  std::unique_ptr<VectorGraph> graph_;
  std::vector<const std::string*> graph_keys_;  // by number; stale for deleted vectors
  std::vector<uint64_t> graph_tags_;
  size_t key_bytes_ = 0;
  size_t accounted_bytes_ = 0;
  bool is_moving_ = false;     // rows into the graph, until there are none
  bool graph_failed_ = false;  // there was no memory for one

  std::atomic<bool> wants_building_{false};
  mutable std::atomic<bool> wants_calibration_{
      false};  // there are queries to measure the graph with for the first time
  std::atomic<size_t> effort_;
  // Used by the building thread only.
  size_t calibrated_size_ = 0;
  bool calibrated_with_queries_ = false;

  mutable Mutex queries_mutex_;
  mutable std::vector<std::vector<float>> queries_ GUARDED_BY(queries_mutex_);  // some that were asked lately
  mutable std::atomic<uint64_t> searches_{0};
};

}  // namespace trestle
