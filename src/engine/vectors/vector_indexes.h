// The in-memory copies of all vector indexes, for searching. They are loaded from the store, updated with every commit,
// and built into graphs if they are large. The store contains an entry for each vector (engine/vectors/vector_entry.h),
// written in the commit of its item; the copies are rebuilt after a restart.
//
// An index that is not in memory (not loaded yet, or too large for memory_bytes) is searched in the store, exactly but
// slowly. In either case a search sees every commit made before it began.
//
// A job loads indexes, moves vectors into graphs and frees memory, and pauses while other threads are busy.
// Thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace trestle {

struct EngineParts;
struct VectorIndexDescription;

struct VectorIndexesOptions {
  size_t memory_bytes = size_t{1} << 30;  // limit for vectors and graphs of all indexes together
  size_t graph_floats_min = 2'000'000;    // a partition with fewer numbers than that has no graph
  // A search that compares at most this many numbers is short enough for an event loop: it takes a millisecond or two.
  size_t short_search_floats = 2'000'000;
  bool threaded = true;  // false: only wait_idle() does the work, for tests
};

// A search in an index.
struct VectorQuery {
  std::span<const float> vector;
  size_t count = 0;
  // The common prefix of the partition's keys (engine/vectors/vector_entry.h); empty if the index has no partitions.
  std::string partition;
  // For each INLINE_FILTER attribute, in order, the value that it must have; a null view accepts any value.
  std::vector<std::string_view> filters;
  bool only_if_short = false;  // a search that may take long is not executed (VectorHits::takes_long)
};
struct VectorHit {
  std::string key;  // of the entry
  float distance = 0;
};
struct VectorHits {
  std::vector<VectorHit> hits;  // closest first
  size_t examined = 0;          // approximate number of vectors compared
  bool takes_long = false;      // VectorQuery::only_if_short was set, and the search was not done
};

// For metrics.
struct VectorFigures {
  size_t indexes = 0;
  size_t indexes_in_memory = 0;
  size_t indexes_too_large = 0;
  size_t memory_bytes = 0;
  size_t vectors = 0;
  size_t vectors_in_graphs = 0;
};

class VectorIndexes {
 public:
  VectorIndexes(EngineParts& parts, VectorIndexesOptions options);
  ~VectorIndexes();

  // Call after a table, or the set of tables, has changed: loads new indexes and drops deleted ones.
  void refresh();

  // Applies a committed entry; an empty value means that it was erased. The caller must still hold the item's lock.
  void apply(const VectorIndexDescription& index, const std::string& key, std::string_view value);

  // Returns nothing if the index is not in memory.
  std::optional<VectorHits> search(const VectorIndexDescription& index, const VectorQuery& query) const;

  // Waits until all indexes are loaded and built; for tests and tools.
  void wait_idle();
  VectorFigures figures() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace trestle
