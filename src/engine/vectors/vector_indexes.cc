#include "engine/vectors/vector_indexes.h"

#include <algorithm>
#include <atomic>
#include <deque>
#include <limits>
#include <shared_mutex>
#include <unordered_map>

#include <fmt/format.h>

#include "base/mutex.h"
#include "base/test_point.h"
#include "engine/jobs/jobs.h"
#include "engine/parts.h"
#include "engine/vectors/vector_entry.h"
#include "vector/vector_set.h"

namespace trestle {
namespace {

constexpr size_t kVectorsPerStep = 32;     // moved into a graph in one step of the job
constexpr size_t kFloatsPerRowMin = 1000;  // longer vectors count as having this many numbers

// The tag of a value, which filters compare. It is never 0, which stands for no value.
uint64_t tag_of(std::string_view packed) { return std::hash<std::string_view>{}(packed) | 1; }

std::vector<uint64_t> tags_of(const VectorIndexDescription& index, ItemView item) {
  std::vector<uint64_t> tags;
  for (const SearchAttribute& element : index.search_schema) {
    if (element.is_hash) continue;
    const auto value = item.find(element.attribute.name);
    tags.push_back(value ? tag_of(value->bytes()) : 0);
  }
  return tags;
}

}  // namespace

struct VectorIndexes::State {
  // An index in memory, and the parts of its description that it needs.
  struct LoadedIndex {
    LoadedIndex(const VectorIndexDescription& description, const VectorSpace& space, VectorMemory& memory)
        : index(description), set(space, memory) {}
    const VectorIndexDescription index;
    VectorSet set;
    std::atomic<bool> is_queued{false};
  };

  State(EngineParts& of, const VectorIndexesOptions& initial_options)
      : parts(of),
        options(initial_options),
        memory(initial_options.memory_bytes),
        job(of.jobs.add({.name = "vectors", .threaded = initial_options.threaded},
                        [this](JobRun& run) { return step(run); })) {}

  std::shared_ptr<LoadedIndex> find(uint32_t keyspace) const {
    std::shared_lock lock(loaded_mutex);
    const auto it = loaded_indexes.find(keyspace);
    return it == loaded_indexes.end() ? nullptr : it->second;
  }
  VectorSpace space_of(const VectorIndexDescription& index) const;
  bool has_room_for(const TableVersion& table, size_t index) const;
  void queue_load(const std::shared_ptr<LoadedIndex>& loaded);
  void queue_build(const std::shared_ptr<VectorPartition>& partition);
  void drop_when_full(const std::shared_ptr<LoadedIndex>& loaded);
  void refresh();
  JobOutcome load(LoadedIndex& loaded, JobRun& run);
  // Takes the index out of service. Its memory must be freed next.
  void drop_too_large(LoadedIndex& loaded);
  // Loads one index, or does one step of building a partition.
  JobOutcome step(JobRun& run);

  EngineParts& parts;
  const VectorIndexesOptions options;
  VectorMemory memory;

  mutable SharedMutex loaded_mutex{kVectorIndexesRank};                       // guards the map
  std::unordered_map<uint32_t, std::shared_ptr<LoadedIndex>> loaded_indexes;  // by keyspace

  Mutex mutex{kShortRank};
  std::shared_ptr<LoadedIndex> to_free GUARDED_BY(mutex);  // an index that was dropped because memory was full
  // Deleted indexes. The job destroys them when no other thread uses them: that takes long, and the last one to use an
  // index may be an event loop.
  std::vector<std::shared_ptr<LoadedIndex>> deleted GUARDED_BY(mutex);
  std::deque<std::weak_ptr<LoadedIndex>> to_load GUARDED_BY(mutex);
  std::deque<std::weak_ptr<VectorPartition>> to_build GUARDED_BY(mutex);
  Job& job;
};

VectorSpace VectorIndexes::State::space_of(const VectorIndexDescription& index) const {
  const auto dimensions = static_cast<size_t>(index.dimensions);
  return {
      .function = index.distance,
      .dimensions = dimensions,
      .tags = index.search_schema.size() - (index.hash() != nullptr ? 1 : 0),
      .graph_rows_min = std::max(options.graph_floats_min / dimensions, options.graph_floats_min / kFloatsPerRowMin)};
}

void VectorIndexes::State::queue_load(const std::shared_ptr<LoadedIndex>& loaded) {
  if (loaded->is_queued.exchange(true)) return;
  {
    MutexLock lock(mutex);
    to_load.push_back(loaded);
  }
  job.wake();
}

void VectorIndexes::State::queue_build(const std::shared_ptr<VectorPartition>& partition) {
  {
    MutexLock lock(mutex);
    // Without locking the pointers, because the partitions would be freed here if they were released meanwhile.
    const auto is_same_partition = [&](const std::weak_ptr<VectorPartition>& other) {
      return !other.owner_before(partition) && !partition.owner_before(other);
    };
    if (std::ranges::any_of(to_build, is_same_partition)) return;
    to_build.push_back(partition);
  }
  job.wake();
}

void VectorIndexes::State::drop_too_large(LoadedIndex& loaded) {
  loaded.set.drop(VectorSet::Phase::kTooLarge);
  fmt::print(
      stderr,
      "trestle: the vector index {} does not fit into the {} MB of memory for vectors (--vector-memory-mb); it is "
      "searched on disk\n",
      loaded.index.name, options.memory_bytes >> 20);
}

// Called by writes, so it leaves it to the job to free the memory, which takes long. Until then memory stays full, so
// no other index is dropped.
void VectorIndexes::State::drop_when_full(const std::shared_ptr<LoadedIndex>& loaded) {
  {
    MutexLock lock(mutex);
    if (to_free || !memory.is_full() || loaded->set.phase() != VectorSet::Phase::kReady) return;
    drop_too_large(*loaded);
    to_free = loaded;
  }
  job.wake();
}

JobOutcome VectorIndexes::State::load(LoadedIndex& loaded, JobRun& run) {
  loaded.is_queued = false;
  TRESTLE_TEST_POINT("vectors.load");
  loaded.set.begin_load();
  auto cursor = parts.store->cursor(
      Space::kItems, {.range = keyspace_range(loaded.index.keyspace), .fill_cache = false}, parts.store->snapshot());
  for (; cursor->valid(); cursor->next()) {
    if (run.stopping()) return JobOutcome::idle();
    TRESTLE_TEST_POINT("vectors.load_entry");
    const auto vector = entry_vector(loaded.index, cursor->value());
    const auto tags = tags_of(loaded.index, entry_item(loaded.index, cursor->value()));
    const std::string partition = entry_partition(loaded.index, cursor->key());
    if (!loaded.set.load({.partition = partition, .key = cursor->key(), .vector = vector, .tags = tags})) {
      drop_too_large(loaded);
      loaded.set.free_vectors();
      return JobOutcome::worked();
    }
  }
  if (!cursor->status().has_value()) {
    loaded.set.drop(VectorSet::Phase::kAbsent);
    loaded.set.free_vectors();
    return JobOutcome::failed();
  }
  loaded.set.finish_load();
  for (auto& partition : loaded.set.partitions()) {
    if (partition->wants_building()) queue_build(partition);
  }
  return JobOutcome::worked();
}

JobOutcome VectorIndexes::State::step(JobRun& run) {
  std::shared_ptr<LoadedIndex> loaded;
  std::shared_ptr<VectorPartition> partition;
  std::shared_ptr<LoadedIndex> dropped;
  std::shared_ptr<LoadedIndex> unused;
  {
    MutexLock lock(mutex);
    if (to_free) {
      dropped = to_free;
    } else if (!deleted.empty()) {
      unused = std::move(deleted.back());
      deleted.pop_back();
      unused->set.drop(VectorSet::Phase::kAbsent);  // so that it does not become `to_free`
    } else if (!to_load.empty()) {
      loaded = to_load.front().lock();
      to_load.pop_front();
    } else if (!to_build.empty()) {
      partition = to_build.front().lock();
      to_build.pop_front();
    } else {
      return JobOutcome::idle();
    }
  }
  if (dropped) {
    dropped->set.free_vectors();
    MutexLock lock(mutex);
    to_free.reset();
    return JobOutcome::worked();
  }
  if (unused) {
    destroy_when_unused(std::move(unused));
    return JobOutcome::worked();
  }
  if (loaded) {
    const JobOutcome outcome = load(*loaded, run);
    if (outcome.kind == JobOutcome::Kind::kFailed) queue_load(loaded);
    return outcome;
  }
  if (partition && !memory.is_full()) {
    if (partition->build(kVectorsPerStep)) {
      queue_build(partition);
    } else {
      partition->calibrate();
    }
  }
  return JobOutcome::worked();
}

VectorIndexes::VectorIndexes(EngineParts& parts, VectorIndexesOptions options)
    : state_(std::make_unique<State>(parts, options)) {
  refresh();
}

VectorIndexes::~VectorIndexes() = default;

bool VectorIndexes::State::has_room_for(const TableVersion& table, size_t index) const {
  constexpr size_t kOverheadBytes = 256;  // overhead of an entry beyond its numbers
  const auto dimensions = static_cast<size_t>(table.description.vector_indexes[index].dimensions);
  const auto vectors = static_cast<size_t>(std::max<int64_t>(0, table.vector_counts[index]->items.load()));
  return memory.bytes.load() + vectors * (dimensions * sizeof(float) * 5 / 4 + kOverheadBytes) <= memory.bytes_max;
}

void VectorIndexes::State::refresh() {
  std::vector<std::shared_ptr<LoadedIndex>> absent;
  std::unordered_map<uint32_t, std::shared_ptr<LoadedIndex>> previous_indexes;
  {
    std::unique_lock lock(loaded_mutex);
    previous_indexes.swap(loaded_indexes);
    for (const auto& table : parts.catalog->tables()) {
      for (size_t i = 0; i < table->description.vector_indexes.size(); ++i) {
        const VectorIndexDescription& index = table->description.vector_indexes[i];
        if (index.status != Status::kActive) continue;
        auto& loaded = loaded_indexes[index.keyspace];
        if (const auto known = previous_indexes.find(index.keyspace); known != previous_indexes.end()) {
          loaded = std::move(known->second);
          previous_indexes.erase(known);
        } else {
          loaded = std::make_shared<LoadedIndex>(index, space_of(index), memory);
        }
        const auto phase = loaded->set.phase();
        const bool was_too_large = phase == VectorSet::Phase::kTooLarge;
        if (phase == VectorSet::Phase::kAbsent || (was_too_large && has_room_for(*table, i))) {
          absent.push_back(loaded);
        }
      }
    }
  }
  for (const auto& loaded : absent) queue_load(loaded);
  if (previous_indexes.empty()) return;
  {
    MutexLock lock(mutex);
    for (auto& [keyspace, loaded] : previous_indexes) deleted.push_back(std::move(loaded));
  }
  job.wake();
}

void VectorIndexes::refresh() { state_->refresh(); }

void VectorIndexes::apply(const VectorIndexDescription& index, const std::string& key, std::string_view value) {
  const auto loaded = state_->find(index.keyspace);
  if (!loaded) return;
  const std::string partition = entry_partition(index, key);
  std::shared_ptr<VectorPartition> to_build;
  if (value.empty()) {
    to_build = loaded->set.erase(partition, key);
  } else {
    const auto vector = entry_vector(index, value);
    const auto tags = tags_of(index, entry_item(index, value));
    to_build = loaded->set.put({.partition = partition, .key = key, .vector = vector, .tags = tags});
    if (state_->memory.is_full()) state_->drop_when_full(loaded);
  }
  if (to_build) state_->queue_build(to_build);
}

std::optional<VectorHits> VectorIndexes::search(const VectorIndexDescription& index, const VectorQuery& query) const {
  const auto loaded = state_->find(index.keyspace);
  if (!loaded) {
    // The index has become ACTIVE without a call of refresh(), which may take long.
    if (!query.only_if_short) state_->refresh();
    return std::nullopt;
  }
  const size_t floats_max =
      query.only_if_short ? state_->options.short_search_floats : std::numeric_limits<size_t>::max();
  std::vector<uint64_t> tags;
  for (const std::string_view filter : query.filters) tags.push_back(filter.data() == nullptr ? 0 : tag_of(filter));
  auto answer = loaded->set.search(
      query.partition, {.vector = query.vector, .count = query.count, .tags = tags, .floats_max = floats_max});
  if (!answer) return std::nullopt;
  auto partition = loaded->set.find(query.partition);
  if (partition && partition->wants_calibration()) state_->queue_build(partition);
  VectorHits hits{.hits = {}, .examined = answer->examined, .takes_long = answer->takes_long};
  for (auto& found : answer->found) hits.hits.push_back({.key = std::move(found.key), .distance = found.rank});
  return hits;
}

void VectorIndexes::wait_idle() { state_->job.wait_idle(); }

VectorFigures VectorIndexes::figures() const {
  VectorFigures figures{.memory_bytes = state_->memory.bytes.load()};
  std::shared_lock lock(state_->loaded_mutex);
  for (const auto& [keyspace, loaded] : state_->loaded_indexes) {
    ++figures.indexes;
    figures.indexes_in_memory += loaded->set.phase() == VectorSet::Phase::kReady ? 1 : 0;
    figures.indexes_too_large += loaded->set.phase() == VectorSet::Phase::kTooLarge ? 1 : 0;
    for (const auto& partition : loaded->set.partitions()) {
      figures.vectors += partition->size();
      figures.vectors_in_graphs += partition->size_in_graph();
    }
  }
  return figures;
}

}  // namespace trestle
