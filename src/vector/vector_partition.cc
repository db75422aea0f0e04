#include "vector/vector_partition.h"

#include <algorithm>
#include <array>

#include "base/check.h"
#include "base/mix.h"

namespace trestle {
namespace {

constexpr size_t kFirstEffort = 256;  // until the first calibration
constexpr std::array<size_t, 13> kEfforts = {24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 2048};
constexpr size_t kRecallCount = 10;
constexpr size_t kRowsPerEffort = 50;  // rows scanned in the time that one more unit of effort takes (measured)
constexpr size_t kSampleMax = 48;      // queries of each kind in a calibration
constexpr size_t kSampledQueries = 64;
constexpr size_t kQueriesWanted = 24;    // clients' queries are used for calibration from this many on
constexpr uint64_t kQueriesSampled = 8;  // one in this many searches is remembered
constexpr size_t kRowsUntilBuild = 512;  // in a partition that has a graph already
constexpr size_t kDeletedMin = 1000;     // a graph with fewer deleted vectors is not rebuilt
constexpr size_t kDeletedShare = 3;      // nor is a graph with less than a third of its vectors deleted
constexpr size_t kNodeBytes = 64;        // overhead of each key

}  // namespace

// Collects the `count` candidates with the lowest ranks.
class VectorPartition::Closest {
 public:
  explicit Closest(size_t count) : count_(count) { heap_.reserve(count + 1); }
  bool admits(float rank) const { return heap_.size() < count_ || rank < heap_.front().rank; }
  void add(const Candidate& candidate) {
    if (!admits(candidate.rank)) return;
    heap_.push_back(candidate);
    std::push_heap(heap_.begin(), heap_.end());
    if (heap_.size() <= count_) return;
    std::pop_heap(heap_.begin(), heap_.end());
    heap_.pop_back();
  }
  bool is_full() const { return heap_.size() == count_; }
  void clear() { heap_.clear(); }
  std::vector<Candidate> sorted() const {
    auto sorted = heap_;
    std::sort(sorted.begin(), sorted.end());
    return sorted;
  }

 private:
  const size_t count_;
  std::vector<Candidate> heap_;
};

class VectorPartition::Reading {
 public:
  explicit Reading(const VectorPartition& of) : lock_(of.mutex_, std::defer_lock) {
    const MutexLock turn(of.turn_);
    lock_.lock();
  }

 private:
  std::shared_lock<SharedMutex> lock_;
};

class VectorPartition::Writing {
 public:
  explicit Writing(const VectorPartition& of) : turn_(of.turn_), lock_(of.mutex_) {}

 private:
  std::unique_lock<Mutex> turn_;
  std::unique_lock<SharedMutex> lock_;
};

VectorPartition::VectorPartition(const VectorSpace& space, VectorMemory& memory)
    : space_(space), memory_(memory), rows_(space.dimensions, space.tags), effort_(kFirstEffort) {}

VectorPartition::~VectorPartition() { memory_.bytes.fetch_sub(accounted_bytes_, std::memory_order_relaxed); }

std::vector<float> VectorPartition::prepare_copy(std::span<const float> vector) const {
  std::vector<float> copy(vector.begin(), vector.end());
  prepare(space_.function, copy);
  return copy;
}

bool VectorPartition::matches(const uint64_t* tags, std::span<const uint64_t> wanted) const {
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (wanted[i] != 0 && wanted[i] != tags[i]) return false;
  }
  return true;
}

void VectorPartition::account() {
  const size_t bytes = rows_.memory_bytes() + (graph_ ? graph_->memory_bytes() : 0) + key_bytes_ +
                       places_.size() * kNodeBytes + graph_keys_.capacity() * sizeof(void*) +
                       graph_tags_.capacity() * sizeof(uint64_t);
  memory_.bytes.fetch_add(bytes - accounted_bytes_, std::memory_order_relaxed);
  accounted_bytes_ = bytes;
  wants_building_.store(is_building_due() || is_stale(), std::memory_order_relaxed);
}

// ---- Changes.

void VectorPartition::remove(const std::string& key, Place place) {
  if (place.in_graph != 0) {
    graph_->mark_deleted(place.at);
    return;
  }
  CHECK(&rows_.key(place.at) == &key);
  if (const std::string* moved = rows_.erase(place.at)) places_.find(*moved)->second.at = place.at;
}

void VectorPartition::put(std::string_view key, std::span<const float> vector, std::span<const uint64_t> tags) {
  const std::vector<float> row = prepare_copy(vector);
  const Writing writing(*this);
  const auto [it, is_new] = places_.try_emplace(std::string(key));
  if (is_new) {
    key_bytes_ += key.size();
  } else {
    remove(it->first, it->second);
  }
  it->second = {.at = static_cast<uint32_t>(rows_.size()), .in_graph = 0};
  rows_.add(it->first, row, tags);
  account();
}

void VectorPartition::erase(std::string_view key) {
  const Writing writing(*this);
  const auto it = places_.find(std::string(key));
  if (it == places_.end()) return;
  remove(it->first, it->second);
  key_bytes_ -= it->first.size();
  places_.erase(it);
  account();
}

// ---- Searches.

void VectorPartition::search_rows(const float* query, std::span<const uint64_t> tags, Closest& closest) const {
  const RankFunction rank = rank_function(space_.function);
  for (size_t row = 0; row < rows_.size(); ++row) {
    if (!matches(rows_.tags(row), tags)) continue;
    const float found = rank(query, rows_.vector(row), space_.dimensions);
    if (closest.admits(found)) closest.add({found, {.at = static_cast<uint32_t>(row), .in_graph = 0}});
  }
}

void VectorPartition::scan_graph(const float* query, std::span<const uint64_t> tags, Closest& closest) const {
  if (!graph_) return;
  const RankFunction rank = rank_function(space_.function);
  for (uint32_t number = 0; number < graph_->size(); ++number) {
    if (graph_->is_deleted(number) || !matches(graph_tags(number), tags)) continue;
    const float found = rank(query, graph_->vector(number), space_.dimensions);
    if (closest.admits(found)) closest.add({found, {.at = number, .in_graph = 1}});
  }
}

// Adds the graph's candidates that pass the filters. Returns their number.
size_t VectorPartition::walk_graph(const float* query, const Query& wanted, size_t effort, Closest& closest) const {
  size_t passed = 0;
  for (const auto& neighbour : graph_->search(query, effort)) {
    if (!matches(graph_tags(neighbour.number), wanted.tags)) continue;
    ++passed;
    closest.add({neighbour.rank, {.at = neighbour.number, .in_graph = 1}});
  }
  return passed;
}

std::optional<size_t> VectorPartition::effort_for(const Query& query) const {
  const size_t effort = this->effort();
  if (!graph_ || effort == 0) return std::nullopt;
  const size_t least = std::max(effort, 2 * query.count);
  const auto is_set = [](uint64_t tag) { return tag != 0; };
  if (std::ranges::none_of(query.tags, is_set)) return least;
  size_t passing = 0;
  for (uint32_t number = 0; number < graph_->size(); ++number) {
    passing += !graph_->is_deleted(number) && matches(graph_tags(number), query.tags) ? 1 : 0;
  }
  // If few pass, scanning all vectors is both exact and cheap.
  if (passing * 8 < graph_->size() || passing < space_.graph_rows_min) return std::nullopt;
  return least * graph_->size() / passing;
}

VectorPartition::Answer VectorPartition::answer(const Closest& closest, size_t examined) const {
  Answer answer{.found = {}, .examined = examined};
  for (const Candidate& candidate : closest.sorted()) {
    const auto& key = candidate.place.in_graph != 0 ? *graph_keys_[candidate.place.at] : rows_.key(candidate.place.at);
    answer.found.push_back({.key = key, .rank = candidate.rank});
  }
  return answer;
}

VectorPartition::Answer VectorPartition::search(const Query& query) const {
  if (query.count == 0) return {};
  const std::vector<float> vector = prepare_copy(query.vector);
  if (searches_.fetch_add(1, std::memory_order_relaxed) % kQueriesSampled == 0) note_query(vector);
  const Reading reading(*this);
  Closest closest(query.count);
  size_t examined = places_.size();
  if (const auto effort = effort_for(query)) {
    const size_t passed = walk_graph(vector.data(), query, *effort, closest);
    examined = std::min(graph_->size(), *effort * 8) + rows_.size();
    // The filter may have passed too few candidates, or parts of the graph may be unreachable. Then scan all vectors.
    if (passed < std::min(query.count, graph_->size() - graph_->deleted_count())) {
      closest.clear();
      scan_graph(vector.data(), query.tags, closest);
      examined = places_.size();
    }
  } else {
    scan_graph(vector.data(), query.tags, closest);
  }
  search_rows(vector.data(), query.tags, closest);
  return answer(closest, examined);
}

VectorPartition::Answer VectorPartition::search_exactly(const Query& query) const {
  if (query.count == 0) return {};
  const std::vector<float> vector = prepare_copy(query.vector);
  const Reading reading(*this);
  Closest closest(query.count);
  scan_graph(vector.data(), query.tags, closest);
  search_rows(vector.data(), query.tags, closest);
  return answer(closest, places_.size());
}

void VectorPartition::note_query(std::span<const float> vector) const {
  MutexLock lock(queries_mutex_);
  if (queries_.size() < kSampledQueries) {
    queries_.emplace_back(vector.begin(), vector.end());
    if (queries_.size() == kQueriesWanted) wants_calibration_.store(true, std::memory_order_relaxed);
  } else {
    const uint64_t place = mix64(searches_.load(std::memory_order_relaxed)) % kSampledQueries;
    queries_[place].assign(vector.begin(), vector.end());
  }
}

size_t VectorPartition::size() const {
  const Reading reading(*this);
  return places_.size();
}

size_t VectorPartition::size_in_graph() const {
  const Reading reading(*this);
  return graph_ ? graph_->size() - graph_->deleted_count() : 0;
}

// ---- Building.

bool VectorPartition::is_building_due() const {
  if (graph_failed_) return false;
  if (is_moving_) return rows_.size() > 0;
  return graph_ ? rows_.size() >= kRowsUntilBuild : rows_.size() >= space_.graph_rows_min;
}

bool VectorPartition::is_stale() const {
  return graph_ && graph_->deleted_count() >= kDeletedMin && graph_->deleted_count() * kDeletedShare >= graph_->size();
}

// Moves all live vectors back into rows; the next build() creates a new graph from them.
void VectorPartition::dissolve_graph() {
  for (uint32_t number = 0; number < graph_->size(); ++number) {
    if (graph_->is_deleted(number)) continue;
    const std::string& key = *graph_keys_[number];
    places_.find(key)->second = {.at = static_cast<uint32_t>(rows_.size()), .in_graph = 0};
    rows_.add(key, {graph_->vector(number), space_.dimensions}, {graph_tags(number), space_.tags});
  }
  graph_.reset();
  graph_keys_.clear();
  graph_tags_.clear();
}

bool VectorPartition::build(size_t vectors_max) {
  {
    const Writing writing(*this);
    if (is_stale()) {
      dissolve_graph();
      account();
      return true;
    }
    is_moving_ = is_building_due();
    if (!is_moving_) return false;
    if (!graph_) {
      graph_ = VectorGraph::make(space_.function, space_.dimensions, rows_.size() + rows_.size() / 8);
      calibrated_size_ = 0;
      effort_.store(kFirstEffort, std::memory_order_relaxed);
    }
    if (!graph_) graph_failed_ = true;
    account();
    if (graph_failed_) return false;
  }
  // Locks for one vector at a time, so that other threads do not wait long.
  for (size_t i = 0; i < vectors_max; ++i) {
    const Writing writing(*this);
    if (rows_.size() == 0) break;
    const size_t row = rows_.size() - 1;
    const std::string& key = rows_.key(row);
    if (!graph_->add(rows_.vector(row))) {
      dissolve_graph();
      graph_failed_ = true;
      account();
      return false;
    }
    places_.find(key)->second = {.at = static_cast<uint32_t>(graph_->size() - 1), .in_graph = 1};
    graph_keys_.push_back(&key);
    graph_tags_.insert(graph_tags_.end(), rows_.tags(row), rows_.tags(row) + space_.tags);
    rows_.erase(row);
    account();
  }
  return true;
}

// ---- Measuring.

std::vector<std::vector<float>> VectorPartition::sample_queries() const {
  std::vector<std::vector<float>> queries;
  {
    MutexLock lock(queries_mutex_);
    queries = queries_;
  }
  if (queries.size() > kSampleMax) queries.resize(kSampleMax);
  const Reading reading(*this);
  // Generates queries near stored vectors, by reflecting a neighbour at each of them. Stored vectors themselves would
  // be too easy to find.
  for (uint64_t i = 0; i < kSampleMax && graph_->size() > 0; ++i) {
    const auto number = static_cast<uint32_t>(mix64(i) % graph_->size());
    std::vector<float> query(graph_->vector(number), graph_->vector(number) + space_.dimensions);
    const auto near = graph_->search(query.data(), kRecallCount);
    if (!near.empty()) {
      const float* other = graph_->vector(near[mix64(i + kSampleMax) % near.size()].number);
      for (size_t j = 0; j < query.size(); ++j) query[j] += query[j] - other[j];
    }
    prepare(space_.function, query);
    queries.push_back(std::move(query));
  }
  return queries;
}

double VectorPartition::recall(const std::vector<std::vector<float>>& queries,
                               const std::vector<std::vector<uint32_t>>& truths, size_t effort) const {
  size_t wanted = 0;
  size_t found = 0;
  for (size_t i = 0; i < queries.size(); ++i) {
    const Reading reading(*this);
    Closest closest(kRecallCount);
    walk_graph(queries[i].data(), {}, effort, closest);
    wanted += truths[i].size();
    for (const Candidate& candidate : closest.sorted()) {
      found += std::ranges::count(truths[i], candidate.place.at) > 0 ? 1 : 0;
    }
  }
  return wanted == 0 ? 1 : static_cast<double>(found) / static_cast<double>(wanted);
}

bool VectorPartition::calibrate() {
  wants_calibration_.store(false, std::memory_order_relaxed);
  bool has_queries = false;
  size_t size = 0;
  {
    MutexLock lock(queries_mutex_);
    has_queries = queries_.size() >= kQueriesWanted;
  }
  {
    const Reading reading(*this);
    if (!graph_) return false;
    size = graph_->size();
    const bool has_grown = size > calibrated_size_ + calibrated_size_ / 4;
    if (!has_grown && (calibrated_with_queries_ || !has_queries)) return false;
    calibrated_size_ = size;
    calibrated_with_queries_ = has_queries;
  }
  const auto queries = sample_queries();
  std::vector<std::vector<uint32_t>> truths;
  for (const auto& query : queries) {
    const Reading reading(*this);
    Closest closest(kRecallCount);
    scan_graph(query.data(), {}, closest);
    auto& truth = truths.emplace_back();
    for (const Candidate& candidate : closest.sorted()) truth.push_back(candidate.place.at);
  }
  size_t chosen = 0;
  for (const size_t effort : kEfforts) {
    if (effort * kRowsPerEffort > size) break;  // a scan takes no longer
    if (recall(queries, truths, effort) < kRecallWanted) continue;
    chosen = effort;
    break;
  }
  effort_.store(chosen, std::memory_order_relaxed);
  return true;
}

}  // namespace trestle
