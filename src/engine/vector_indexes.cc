#include "engine/vector_indexes.h"

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <deque>
#include <shared_mutex>
#include <thread>
#include <unordered_map>

#include <fmt/format.h>

#include "base/mutex.h"
#include "engine/engine.h"
#include "engine/pace.h"
#include "engine/vector_entry.h"
#include "vector/vector_set.h"

namespace trestle {
namespace {

constexpr size_t kVectorsPerStep = 32;     // that are moved into a graph before anything else is looked at
constexpr size_t kFloatsPerRowMin = 1000;  // longer vectors count as if they had so many numbers

// What a filter compares: 0 stands for no value.
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
  // An index in memory, and what of its description that takes.
  struct Kept {
    Kept(const VectorIndexDescription& described, const VectorSpace& space, VectorMemory& memory)
        : index(described), set(space, memory) {}
    const VectorIndexDescription index;
    VectorSet set;
    std::atomic<bool> is_queued{false};
  };

  State(Engine& of, const VectorIndexesOptions& given) : engine(of), options(given), memory(given.memory_bytes) {}

  std::shared_ptr<Kept> find(uint32_t keyspace) const {
    std::shared_lock lock(kept_mutex);
    const auto it = kept.find(keyspace);
    return it == kept.end() ? nullptr : it->second;
  }
  VectorSpace space_of(const VectorIndexDescription& index) const;
  bool has_room_for(const TableVersion& table, size_t index) const;
  void queue_load(const std::shared_ptr<Kept>& one);
  void queue_build(std::shared_ptr<VectorPartition> partition);
  void tend();
  void load(Kept& one);
  void give_up(Kept& one);
  // One thing that is to be done. False: there is nothing.
  bool step();
  void run();

  bool backfill_item(const std::string& table_name, const std::string& table_id, const std::string& index_name,
                     const std::string& key);
  void backfill(const std::string& table_name, const std::string& table_id, const std::string& index_name);

  Engine& engine;
  const VectorIndexesOptions options;
  VectorMemory memory;

  mutable std::shared_mutex kept_mutex;                      // guards the map
  std::unordered_map<uint32_t, std::shared_ptr<Kept>> kept;  // by keyspace

  Mutex mutex;
  ConditionVariable changed;
  std::deque<std::weak_ptr<Kept>> to_load GUARDED_BY(mutex);
  std::deque<std::weak_ptr<VectorPartition>> to_build GUARDED_BY(mutex);
  bool busy GUARDED_BY(mutex) = false;
  std::atomic<bool> stopping{false};
  std::thread thread;
};

VectorSpace VectorIndexes::State::space_of(const VectorIndexDescription& index) const {
  const auto dimensions = static_cast<size_t>(index.dimensions);
  return {
      .function = index.distance,
      .dimensions = dimensions,
      .tags = index.search_schema.size() - (index.hash() != nullptr ? 1 : 0),
      .graph_rows_min = std::max(options.graph_floats_min / dimensions, options.graph_floats_min / kFloatsPerRowMin)};
}

void VectorIndexes::State::queue_load(const std::shared_ptr<Kept>& one) {
  if (one->is_queued.exchange(true)) return;
  MutexLock lock(mutex);
  to_load.push_back(one);
  changed.notify_all();
}

void VectorIndexes::State::queue_build(std::shared_ptr<VectorPartition> partition) {
  MutexLock lock(mutex);
  const auto is_it = [&](const std::weak_ptr<VectorPartition>& other) { return other.lock() == partition; };
  if (std::ranges::any_of(to_build, is_it)) return;
  to_build.push_back(std::move(partition));
  changed.notify_all();
}

void VectorIndexes::State::give_up(Kept& one) {
  one.set.drop(VectorSet::Phase::kTooLarge);
  fmt::print(stderr,
             "trestle: the vector index {} does not fit in the {} MB that vectors may take (--vector-memory-mb); it is "
             "searched on disk\n",
             one.index.name, options.memory_bytes >> 20);
}

void VectorIndexes::State::load(Kept& one) {
  one.is_queued = false;
  one.set.begin_load();
  auto cursor = engine.store_->cursor(Space::kItems, {.range = keyspace_range(one.index.keyspace), .fill_cache = false},
                                      engine.store_->snapshot());
  for (; cursor->valid(); cursor->next()) {
    if (stopping) return;
    const auto vector = entry_vector(one.index, cursor->value());
    const auto tags = tags_of(one.index, entry_item(one.index, cursor->value()));
    const std::string partition = entry_partition(one.index, cursor->key());
    if (!one.set.load({.partition = partition, .key = cursor->key(), .vector = vector, .tags = tags})) {
      give_up(one);
      return;
    }
  }
  if (!cursor->status().has_value()) {
    one.set.drop(VectorSet::Phase::kAbsent);
    return;
  }
  one.set.finish_load();
  for (auto& partition : one.set.partitions()) {
    if (partition->wants_building()) queue_build(std::move(partition));
  }
}

bool VectorIndexes::State::step() {
  std::shared_ptr<Kept> one;
  std::shared_ptr<VectorPartition> partition;
  {
    MutexLock lock(mutex);
    if (!to_load.empty()) {
      one = to_load.front().lock();
      to_load.pop_front();
    } else if (!to_build.empty()) {
      partition = to_build.front().lock();
      to_build.pop_front();
    } else {
      return false;
    }
    busy = true;
  }
  if (one) load(*one);
  bool builds_on = false;
  if (partition && !memory.is_full()) {
    builds_on = partition->build(kVectorsPerStep);
    if (!builds_on) partition->calibrate();
  }
  const std::weak_ptr<VectorPartition> again = partition;
  // What is gone meanwhile goes before anyone is told that the step is over.
  partition.reset();
  one.reset();
  MutexLock lock(mutex);
  busy = false;
  if (builds_on) to_build.push_back(again);
  changed.notify_all();
  return true;
}

// Rests between steps while others are busy. It is not made a thread of low priority: one that has to wait for a
// processor while it holds a partition would make all wait who search it.
void VectorIndexes::State::run() {
  pthread_setname_np(pthread_self(), "vectors");
  Pace pace;
  while (!stopping) {
    pace.begin();
    const bool worked = step();
    const int64_t rest_us = worked ? pace.rest_us() : 0;
    MutexLock lock(mutex);
    if (stopping) return;
    if (!worked && to_load.empty() && to_build.empty()) changed.wait(mutex);
    if (rest_us > 0) changed.wait_for(mutex, std::chrono::microseconds(rest_us));
  }
}

VectorIndexes::VectorIndexes(Engine& engine, VectorIndexesOptions options)
    : state_(std::make_unique<State>(engine, options)) {
  tend();
  if (options.threaded) state_->thread = std::thread([this] { state_->run(); });
}

VectorIndexes::~VectorIndexes() { stop(); }

void VectorIndexes::stop() {
  {
    MutexLock lock(state_->mutex);
    state_->stopping = true;
    state_->changed.notify_all();
  }
  if (state_->thread.joinable()) state_->thread.join();
}

bool VectorIndexes::State::has_room_for(const TableVersion& table, size_t index) const {
  constexpr size_t kBesides = 256;  // what an entry takes beside its numbers
  const auto dimensions = static_cast<size_t>(table.description.vector_indexes[index].dimensions);
  const auto vectors = static_cast<size_t>(std::max<int64_t>(0, table.vector_counts[index]->items.load()));
  return memory.bytes.load() + vectors * (dimensions * sizeof(float) * 5 / 4 + kBesides) <= memory.bytes_max;
}

void VectorIndexes::State::tend() {
  std::vector<std::shared_ptr<Kept>> absent;
  std::unordered_map<uint32_t, std::shared_ptr<Kept>> gone;
  {
    std::unique_lock lock(kept_mutex);
    gone.swap(kept);
    for (const auto& table : engine.catalog_->tables()) {
      for (size_t i = 0; i < table->description.vector_indexes.size(); ++i) {
        const VectorIndexDescription& index = table->description.vector_indexes[i];
        if (index.status != Status::kActive) continue;
        auto& one = kept[index.keyspace];
        if (const auto had = gone.find(index.keyspace); had != gone.end()) {
          one = std::move(had->second);
          gone.erase(had);
        } else {
          one = std::make_shared<Kept>(index, space_of(index), memory);
        }
        const auto phase = one->set.phase();
        const bool was_too_large = phase == VectorSet::Phase::kTooLarge;
        if (phase == VectorSet::Phase::kAbsent || (was_too_large && has_room_for(*table, i))) {
          absent.push_back(one);
        }
      }
    }
  }
  for (const auto& one : absent) queue_load(one);
}

void VectorIndexes::tend() { state_->tend(); }

void VectorIndexes::apply(const VectorIndexDescription& index, const std::string& key, std::string_view value) {
  const auto one = state_->find(index.keyspace);
  if (!one) return;
  const std::string partition = entry_partition(index, key);
  std::shared_ptr<VectorPartition> to_build;
  if (value.empty()) {
    to_build = one->set.erase(partition, key);
  } else {
    const auto vector = entry_vector(index, value);
    const auto tags = tags_of(index, entry_item(index, value));
    to_build = one->set.put({.partition = partition, .key = key, .vector = vector, .tags = tags});
    if (state_->memory.is_full() && one->set.phase() == VectorSet::Phase::kReady) {
      state_->give_up(*one);
      return;
    }
  }
  if (to_build) state_->queue_build(std::move(to_build));
}

std::optional<VectorHits> VectorIndexes::search(const VectorIndexDescription& index, const VectorQuery& query) const {
  const auto one = state_->find(index.keyspace);
  if (!one) {
    state_->tend();  // it has become ACTIVE by itself
    return std::nullopt;
  }
  std::vector<uint64_t> tags;
  for (const std::string_view filter : query.filters) tags.push_back(filter.data() == nullptr ? 0 : tag_of(filter));
  auto answer = one->set.search(query.partition, {.vector = query.vector, .count = query.count, .tags = tags});
  if (!answer) return std::nullopt;
  auto partition = one->set.find(query.partition);
  if (partition && partition->wants_calibration()) state_->queue_build(std::move(partition));
  VectorHits hits{.hits = {}, .examined = answer->examined};
  for (auto& found : answer->found) hits.hits.push_back({.key = std::move(found.key), .distance = found.rank});
  return hits;
}

void VectorIndexes::settle() {
  if (!state_->options.threaded) {
    while (state_->step()) {
    }
    return;
  }
  MutexLock lock(state_->mutex);
  while (!state_->stopping && (state_->busy || !state_->to_load.empty() || !state_->to_build.empty())) {
    state_->changed.wait(state_->mutex);
  }
}

VectorFigures VectorIndexes::figures() const {
  VectorFigures figures{.memory_bytes = state_->memory.bytes.load()};
  std::shared_lock lock(state_->kept_mutex);
  for (const auto& [keyspace, one] : state_->kept) {
    ++figures.indexes;
    figures.indexes_in_memory += one->set.phase() == VectorSet::Phase::kReady ? 1 : 0;
    figures.indexes_too_large += one->set.phase() == VectorSet::Phase::kTooLarge ? 1 : 0;
    for (const auto& partition : one->set.partitions()) {
      figures.vectors += partition->size();
      figures.vectors_in_graphs += partition->size_in_graph();
    }
  }
  return figures;
}

// ---- Filling an index that was added to a table. As for any index (engine/index_backfill.cc): from the moment it is
// in the catalog every write maintains it, and what was there before is added item by item, under the item's lock.

void VectorIndexes::start_backfill(const TableVersion& table) {
  if (table.description.status == Status::kCreating) return;  // of a restore: it comes when all items are there
  for (const VectorIndexDescription& index : table.description.vector_indexes) {
    if (index.status != Status::kCreating) continue;
    state_->engine.background_.add([state = state_.get(), name = table.description.name, id = table.description.id,
                                    index_name = index.name] { state->backfill(name, id, index_name); });
  }
}

namespace {

// The place of the index, if it is still there and still to be filled.
std::optional<size_t> vector_index_to_fill(const TableVersion& table, const std::string& table_id,
                                           const std::string& index_name) {
  const auto& indexes = table.description.vector_indexes;
  const auto found = std::ranges::find(indexes, index_name, &VectorIndexDescription::name);
  if (table.description.id != table_id || found == indexes.end() || found->status != Status::kCreating) {
    return std::nullopt;
  }
  return static_cast<size_t>(found - indexes.begin());
}

}  // namespace

// False: the backfill is over, because the index or the table is gone or the disk refuses.
bool VectorIndexes::State::backfill_item(const std::string& table_name, const std::string& table_id,
                                         const std::string& index_name, const std::string& key) {
  const auto table = engine.catalog_->open_for_write(table_name);
  const auto place = table ? vector_index_to_fill(**table, table_id, index_name) : std::nullopt;
  if (!place) return false;
  const auto lock = engine.locks_.lock(key);
  PinnedBytes bytes;
  const auto found = engine.store_->get(Space::kItems, key, bytes);
  if (!found.has_value()) return false;
  if (!*found) return true;
  const TableDescription& description = (*table)->description;
  // An item that does not fit the index stays out of it.
  const auto entry = vector_entry(description, description.vector_indexes[*place], ItemView(bytes.view()));
  if (!entry) return true;
  PinnedBytes present;
  const auto has = engine.store_->get(Space::kItems, entry->key, present);
  if (!has.has_value()) return false;
  if (*has) return true;  // a write, or an earlier attempt, was here first
  Batch batch(*engine.store_);
  batch.put(Space::kItems, entry->key, entry->value);
  if (!engine.store_->commit(batch).has_value()) return false;
  (*table)->vector_counts[*place]->add(1, static_cast<int64_t>(entry->size_bytes));
  return true;
}

void VectorIndexes::State::backfill(const std::string& table_name, const std::string& table_id,
                                    const std::string& index_name) {
  const auto table = engine.catalog_->find(table_name);
  if (!table || !vector_index_to_fill(*table, table_id, index_name)) return;
  auto cursor =
      engine.store_->cursor(Space::kItems, {.range = keyspace_range(table->description.keyspace), .fill_cache = false},
                            engine.store_->snapshot());
  for (; cursor->valid(); cursor->next()) {
    if (engine.background_.stopping()) return;
    if (!backfill_item(table_name, table_id, index_name, std::string(cursor->key()))) return;
  }
  if (!cursor->status().has_value()) return;
  // Should this fail, the next start finds the index still CREATING and fills it again.
  (void)engine.catalog_->change(table_name, [&](TableDescription now) -> Result<TableDescription> {
    for (VectorIndexDescription& index : now.vector_indexes) {
      if (now.id != table_id || index.name != index_name) continue;
      index.status = Status::kActive;
      index.backfilling.reset();
    }
    return now;
  });
  tend();
}

}  // namespace trestle
