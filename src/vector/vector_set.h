// One vector index in memory: its partitions (vector/vector_partition.h), and the phase of loading.
//
// Loading from the store runs concurrently with changes, and both may concern the same entry. Hence this order:
//
//   set.begin_load();                       // from now on changes are recorded
//   ... take a snapshot ...                 // contains every change that was not recorded
//   for each entry in it: set.load(entry);  // has no effect if the key has changed since begin_load()
//   set.finish_load();                      // from now on searches are answered
//
// A set that exceeds the memory limit is dropped, and cannot be searched until it is loaded again. Thread-safe, but
// only one thread at a time may load.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/mutex.h"
#include "vector/lock_ranks.h"
#include "vector/vector_partition.h"

namespace trestle {

class VectorSet {
 public:
  enum class Phase { kAbsent, kLoading, kReady, kTooLarge };

  VectorSet(const VectorSpace& space, VectorMemory& memory) : space_(space), memory_(memory) {}

  struct Entry {
    std::string_view partition;
    std::string_view key;
    std::span<const float> vector;
    std::span<const uint64_t> tags;
  };
  // Apply a committed change; ignored unless the set is loading or loaded. They return the changed partition if it
  // needs VectorPartition::build(), otherwise null.
  std::shared_ptr<VectorPartition> put(const Entry& entry);
  std::shared_ptr<VectorPartition> erase(std::string_view partition, std::string_view key);

  void begin_load();
  // Returns false if the memory limit is reached.
  bool load(const Entry& entry);
  void finish_load();
  // From now on changes are ignored and searches are not answered. free_vectors() then discards the vectors, which may
  // take long; begin_load() does that, too. Both wait until no other thread uses them: otherwise the last one to do so
  // would discard them, and it may be an event loop.
  void drop(Phase phase) { phase_.store(phase); }
  void free_vectors();

  Phase phase() const { return phase_.load(); }
  // Returns nothing if the set is not loaded.
  std::optional<VectorPartition::Answer> search(std::string_view partition, const VectorPartition::Query& query) const;
  // Returns null if there is no such partition.
  std::shared_ptr<VectorPartition> find(std::string_view partition) const;
  std::vector<std::shared_ptr<VectorPartition>> partitions() const;

 private:
  using Partitions = std::unordered_map<std::string, std::shared_ptr<VectorPartition>>;

  Partitions take_partitions();
  std::shared_ptr<VectorPartition> find_or_make(std::string_view partition);
  // Applies a change, if changes are being recorded.
  template <class Change>
  std::shared_ptr<VectorPartition> apply(std::string_view key, Change change);

  const VectorSpace space_;
  VectorMemory& memory_;
  std::atomic<Phase> phase_{Phase::kAbsent};

  // Serializes changes and loaded entries while the set is loading; acquired before the other locks of vectors.
  Mutex load_mutex_{kVectorLoadRank};
  std::unordered_set<std::string> touched_ GUARDED_BY(load_mutex_);  // keys that have changed since begin_load()

  mutable SharedMutex partitions_mutex_{kShortRank};  // guards the map; never held while a partition works
  Partitions partitions_;
};

// Destroys the object when no other thread uses it. No thread may acquire it any more.
template <class T>
void destroy_when_unused(std::shared_ptr<T> last) {
  while (last.use_count() > 1) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

}  // namespace trestle
