// The in-memory vectors that one search covers: those of an index, or of one value of its partition key.
//
// New vectors go into rows (vector/vector_rows.h), which are searched exactly. If there are many, build() moves them
// into a graph (vector/vector_graph.h) in small steps, and searches cover both. So a vector can be found as soon as it
// is put, and put() never waits for a graph. The search effort of a graph is determined by measurement: after a change
// of size, calibrate() searches for stored vectors and recent queries, compares the results with exact ones, and picks
// the least effort that finds the share kRecallWanted of the ten closest. If no effort reaches it, the graph's vectors
// are scanned instead.
//
// Event loops put and erase vectors, so no lock is held for long: a search that compares many vectors does so in slices
// of about a millisecond. It finds what an exact search at its end would find: changes during the search are noted, and
// vectors that were moved or replaced are compared again. If there were too many, the search is repeated with more
// candidates to spare, and at last under one lock.
//
// Thread-safe, but only one thread at a time may build and calibrate.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <limits>
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
#include "vector/lock_ranks.h"
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
  size_t tags = 0;                  // number of filter values of each vector
  size_t graph_rows_min = 0;        // with fewer vectors there is no graph
  size_t slice_floats = 2'000'000;  // numbers compared without releasing the lock; takes about a millisecond
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
    std::span<const uint64_t> tags;  // 0: any value
    // A search that may have to compare more numbers than this is not executed (Answer::takes_long).
    size_t floats_max = std::numeric_limits<size_t>::max();
  };
  struct Match {
    std::string key;
    float rank = 0;
  };
  struct Answer {
    std::vector<Match> found;  // the closest first
    size_t examined = 0;
    bool takes_long = false;  // the search exceeds Query::floats_max, and found nothing
  };
  Answer search(const Query& query) const;
  // Without using the graph: the exact result.
  Answer search_exactly(const Query& query) const;

  // Whether build() or calibrate() has work.
  bool wants_building() const { return wants_building_.load(std::memory_order_relaxed); }
  bool wants_calibration() const { return wants_calibration_.load(std::memory_order_relaxed); }
  // Moves up to `vectors_max` vectors into the graph, or out of a graph with too many deleted vectors. Returns false if
  // there is nothing to do. Other threads wait for single vectors only.
  bool build(size_t vectors_max);
  // Measures the graph if it has changed much since the last measurement. Returns false if that was not necessary.
  bool calibrate();

  size_t size() const;
  size_t size_in_graph() const;
  // The search effort of the graph; 0: the graph is not searched.
  size_t effort() const { return effort_.load(std::memory_order_relaxed); }

 private:
  // The location of a key's vector: a row, or a number in the graph.
  struct Place {
    uint32_t at : 31;
    uint32_t in_graph : 1;
  };
  struct Candidate {
    float rank;
    const std::string* key;  // in places_; may have been erased if the lock was released since
    friend bool operator<(const Candidate& a, const Candidate& b) { return a.rank < b.rank; }
  };
  // How to search.
  struct Plan {
    std::optional<size_t> effort;  // of the graph; nothing: it is scanned
    size_t compared = 0;           // the number of vectors that may have to be compared
    bool takes_long = false;       // that exceeds Query::floats_max
  };
  // The next vector of a scan.
  struct Position {
    size_t number = 0;  // in the graph
    size_t row = 0;     // after the whole graph
  };
  enum class Change : uint8_t { kMoved, kPut, kErased };
  class Closest;
  class Changes;
  class Reading;
  class Writing;

  std::vector<float> prepare_copy(std::span<const float> vector) const;
  bool matches(const uint64_t* tags, std::span<const uint64_t> wanted) const;
  const uint64_t* graph_tags(uint32_t number) const { return graph_tags_.data() + number * space_.tags; }
  // In all of the functions below, the vector of the query is prepared. Those without a comment on locks require one.
  void scan_graph(size_t& number, size_t most, const Query& query, Closest& closest) const;
  // Compares the next vectors, `most` at most. Returns false at the end.
  bool scan(Position& position, size_t most, const Query& query, Closest& closest) const;
  size_t walk_graph(const Query& query, size_t effort, Closest& closest) const;
  // Searches the graph, if so planned, and returns the position at which a scan must begin. May change the plan.
  Position begin_search(const Query& query, Plan& plan, Closest& closest) const;
  // Nothing: more than `compared_max` vectors would have to be compared.
  std::optional<Answer> search_under_lock(const Query& query, Plan plan, size_t compared_max) const;
  // Nothing: too many vectors changed meanwhile, `spare` of the candidates or more. Locks.
  std::optional<Answer> search_in_slices(const Query& query, bool may_use_graph, size_t passing, size_t spare) const;
  Answer search(Query query, bool may_use_graph) const;  // locks; prepares the vector
  // `passing` is count_passing(), if the query has a filter. `spare`: the number of candidates wanted beyond those of
  // the query.
  Plan make_plan(const Query& query, bool may_use_graph, size_t passing, size_t spare = 0) const;
  // The number of vectors of the graph that pass the query's filter. Locks.
  size_t count_passing(const Query& query) const;
  // The effort needed with the query's filter, which depends on how many vectors pass it. Nothing: so few pass that
  // scanning is better.
  std::optional<size_t> effort_for(const Query& query, size_t passing, size_t spare) const;
  Answer answer(const Closest& closest, const Plan& plan) const;
  size_t slice_vectors() const { return std::max<size_t>(1, space_.slice_floats / space_.dimensions); }
  // Call it before each change of a vector or of its place, except by move_to_rows().
  void note_change(const std::string& key, Change change);
  void remove(const std::string& key, Place place);
  bool is_building_due() const;
  bool is_stale() const;  // too much of the graph is deleted
  bool takes_long(const Query& query, size_t vectors) const { return vectors > query.floats_max / space_.dimensions; }
  bool begin_building();
  void dissolve_graph(size_t vectors_max);
  void move_to_rows(uint32_t number);
  bool grow_graph();  // locks
  void give_up_graph();
  void account();
  void note_query(std::span<const float> vector) const;
  std::vector<std::vector<float>> sample_queries() const;
  double recall(const std::vector<std::vector<float>>& queries,
                const std::vector<std::vector<const std::string*>>& truths, size_t effort) const;

  const VectorSpace space_;
  VectorMemory& memory_;

  // Makes mutex_ fair: readers acquire and release it before they lock mutex_, and writers hold it as well.
  mutable Mutex turn_{kVectorTurnRank};
  mutable SharedMutex mutex_{kVectorPartitionRank};  // guards all members up to effort_
  std::unordered_map<std::string, Place> places_;
  VectorRows rows_;
  std::unique_ptr<VectorGraph> graph_;
  std::vector<const std::string*> graph_keys_;  // by number; stale for deleted vectors
  std::vector<uint64_t> graph_tags_;
  size_t key_bytes_ = 0;
  size_t accounted_bytes_ = 0;
  bool is_moving_ = false;     // rows are being moved into the graph, until there are none
  bool graph_failed_ = false;  // there was not enough memory for a graph
  // All live vectors of the graph are being moved back into rows; then it is removed, and a new one may be built. Those
  // before `dissolved_` have been moved.
  bool is_dissolving_ = false;
  uint32_t dissolved_ = 0;
  mutable std::vector<Changes*> changes_;  // one for each search in slices

  std::atomic<bool> wants_building_{false};
  mutable std::atomic<bool> wants_calibration_{
      false};  // there are queries to measure the graph with for the first time
  std::atomic<size_t> effort_;
  // Used by the building thread only.
  size_t calibrated_size_ = 0;
  bool calibrated_with_queries_ = false;

  mutable Mutex queries_mutex_{kShortRank};
  mutable std::vector<std::vector<float>> queries_ GUARDED_BY(queries_mutex_);  // a sample of recent queries
  mutable std::atomic<uint64_t> searches_{0};
};

}  // namespace trestle
