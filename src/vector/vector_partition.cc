#include "vector/vector_partition.h"

#include <algorithm>
#include <array>
#include <unordered_map>

#include "base/check.h"
#include "base/mix.h"
#include "base/test_point.h"

namespace trestle {
namespace {

constexpr size_t kFirstEffort = 256;  // until the first calibration
constexpr std::array<size_t, 13> kEfforts = {24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 2048};
constexpr size_t kRecallCount = 10;
constexpr size_t kRowsPerEffort = 50;  // rows scanned in the time that one more unit of effort takes (measured)
constexpr size_t kSampleMax = 48;      // queries of each kind in a calibration
constexpr size_t kSampledQueries = 64;
constexpr size_t kQueriesWanted = 24;       // clients' queries are used for calibration from this many on
constexpr uint64_t kQueriesSampled = 8;     // one in this many searches is remembered
constexpr size_t kRowsUntilBuild = 512;     // in a partition that has a graph already
constexpr size_t kDeletedMin = 1000;        // a graph with fewer deleted vectors is not rebuilt
constexpr size_t kDeletedShare = 3;         // nor is a graph with less than a third of its vectors deleted
constexpr size_t kNodeBytes = 64;           // overhead of each key
constexpr size_t kMovedPerLock = 16;        // vectors that are copied while other threads wait
constexpr size_t kCountedPerLock = 50'000;  // vectors whose filter values are compared while other threads wait
// Candidates beyond those wanted, in case vectors are changed during a search; one number for each attempt.
constexpr std::array<size_t, 2> kSpares = {32, 512};
constexpr size_t kChangesMax = 20'000;  // noted for a search
// Comparisons that take as long as one unit of effort, counted as in a scan: visiting a vector of a graph takes longer
// than scanning a row.
constexpr size_t kComparisonsPerEffort = 16;

bool is_filtered(const VectorPartition::Query& query) {
  return std::ranges::any_of(query.tags, [](uint64_t tag) { return tag != 0; });
}

VectorPartition::Answer too_long() { return {.found = {}, .takes_long = true}; }

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
  // Has no effect if the key is a candidate already: a scan finds vectors twice that are moved meanwhile.
  void add_once(const Candidate& candidate) {
    if (!admits(candidate.rank) || std::ranges::find(heap_, candidate.key, &Candidate::key) != heap_.end()) return;
    add(candidate);
  }
  // From now on, collects at most `count`, which must not be less than size().
  void limit_to(size_t count) { count_ = std::min(count_, count); }
  size_t size() const { return heap_.size(); }
  bool is_full() const { return heap_.size() == count_; }
  void clear() { heap_.clear(); }
  const std::vector<Candidate>& unsorted() const { return heap_; }
  std::vector<Candidate> sorted() const {
    auto sorted = heap_;
    std::sort(sorted.begin(), sorted.end());
    return sorted;
  }

 private:
  size_t count_;
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

// The keys whose vectors were put, moved or erased since its construction.
class VectorPartition::Changes {
 public:
  explicit Changes(const VectorPartition& of) : of_(of) {
    const Writing writing(of_);
    of_.changes_.push_back(this);
  }
  ~Changes() {
    const Writing writing(of_);
    std::erase(of_.changes_, this);
  }
  Changes(const Changes&) = delete;
  Changes& operator=(const Changes&) = delete;

  // The address of an erased key may be used again by another one, which is then noted in its place. A vector that is
  // moved after it was put remains noted as put.
  void note(const std::string* key, Change change) {
    if (is_overflown_) return;
    const auto [it, is_new] = noted_.try_emplace(key, change);
    if (!is_new && change != Change::kMoved) it->second = change;
    is_overflown_ = noted_.size() > kChangesMax;
  }
  // Adds the candidates to `closest`, with the present vectors of those that were put. Returns false if others that are
  // not among the candidates may be missing. Requires a lock.
  bool apply(const Query& query, const Closest& candidates, Closest& closest) const {
    if (is_overflown_) return false;
    size_t unchanged = 0;
    for (const Candidate& candidate : candidates.unsorted()) {
      if (const auto noted = noted_.find(candidate.key); noted != noted_.end() && noted->second != Change::kMoved) {
        continue;
      }
      ++unchanged;
      closest.add(candidate);
    }
    // Vectors that were not candidates are farther than all of these, but may be closer than the next ones.
    if (candidates.is_full() && unchanged < query.count) return false;
    const RankFunction rank = rank_function(of_.space_.function);
    for (const auto& [key, change] : noted_) {
      if (change == Change::kErased) continue;
      const Place place = of_.places_.find(*key)->second;
      const bool in_graph = place.in_graph != 0;
      if (!of_.matches(in_graph ? of_.graph_tags(place.at) : of_.rows_.tags(place.at), query.tags)) continue;
      const float* vector = in_graph ? of_.graph_->vector(place.at) : of_.rows_.vector(place.at);
      closest.add_once({rank(query.vector.data(), vector, of_.space_.dimensions), key});
    }
    return true;
  }

 private:
  const VectorPartition& of_;
  std::unordered_map<const std::string*, Change> noted_;  // guarded by of_.mutex_
  bool is_overflown_ = false;                             // likewise
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
  wants_building_.store(is_dissolving_ || is_building_due() || is_stale(), std::memory_order_relaxed);
}

// ---- Changes.

void VectorPartition::note_change(const std::string& key, Change change) {
  for (Changes* changes : changes_) changes->note(&key, change);
}

void VectorPartition::remove(const std::string& key, Place place) {
  if (place.in_graph != 0) {
    graph_->mark_deleted(place.at);
    return;
  }
  CHECK(&rows_.key(place.at) == &key);
  if (const std::string* moved = rows_.erase(place.at)) {
    note_change(*moved, Change::kMoved);
    places_.find(*moved)->second.at = place.at;
  }
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
  note_change(it->first, Change::kPut);
  it->second = {.at = static_cast<uint32_t>(rows_.size()), .in_graph = 0};
  rows_.add(it->first, row, tags);
  account();
}

void VectorPartition::erase(std::string_view key) {
  const Writing writing(*this);
  const auto it = places_.find(std::string(key));
  if (it == places_.end()) return;
  remove(it->first, it->second);
  note_change(it->first, Change::kErased);
  key_bytes_ -= it->first.size();
  places_.erase(it);
  account();
}

// ---- Searches.

void VectorPartition::scan_graph(size_t& number, size_t most, const Query& query, Closest& closest) const {
  const RankFunction rank = rank_function(space_.function);
  for (; graph_ && number < graph_->size() && most > 0; ++number, --most) {
    const auto at = static_cast<uint32_t>(number);
    if (graph_->is_deleted(at) || !matches(graph_tags(at), query.tags)) continue;
    const float found = rank(query.vector.data(), graph_->vector(at), space_.dimensions);
    closest.add_once({found, graph_keys_[at]});
  }
}

bool VectorPartition::scan(Position& position, size_t most, const Query& query, Closest& closest) const {
  const size_t begin = position.number;
  scan_graph(position.number, most, query, closest);
  most -= position.number - begin;
  const RankFunction rank = rank_function(space_.function);
  for (size_t& row = position.row; row < rows_.size() && most > 0; ++row, --most) {
    if (!matches(rows_.tags(row), query.tags)) continue;
    const float found = rank(query.vector.data(), rows_.vector(row), space_.dimensions);
    closest.add_once({found, &rows_.key(row)});
  }
  return position.row < rows_.size() || (graph_ && position.number < graph_->size());
}

// Adds the graph's candidates that pass the filters. Returns their number.
size_t VectorPartition::walk_graph(const Query& query, size_t effort, Closest& closest) const {
  size_t passed = 0;
  for (const auto& neighbour : graph_->search(query.vector.data(), effort)) {
    if (!matches(graph_tags(neighbour.number), query.tags)) continue;
    ++passed;
    closest.add({neighbour.rank, graph_keys_[neighbour.number]});
  }
  return passed;
}

size_t VectorPartition::count_passing(const Query& query) const {
  size_t passing = 0;
  for (size_t number = 0;;) {
    const Reading reading(*this);
    if (!graph_ || number >= graph_->size()) return passing;
    for (size_t left = kCountedPerLock; left > 0 && number < graph_->size(); --left, ++number) {
      const auto at = static_cast<uint32_t>(number);
      passing += !graph_->is_deleted(at) && matches(graph_tags(at), query.tags) ? 1 : 0;
    }
  }
}

std::optional<size_t> VectorPartition::effort_for(const Query& query, size_t passing, size_t spare) const {
  const size_t effort = this->effort();
  if (!graph_ || effort == 0) return std::nullopt;
  const size_t least = std::max({effort, 2 * query.count, query.count + spare});
  if (!is_filtered(query)) return least;
  // If few pass, scanning all vectors is both exact and cheap.
  if (passing == 0 || passing * 8 < graph_->size() || passing < space_.graph_rows_min) return std::nullopt;
  return least * graph_->size() / passing;
}

VectorPartition::Plan VectorPartition::make_plan(const Query& query, bool may_use_graph, size_t passing,
                                                 size_t spare) const {
  const size_t in_graph = graph_ ? graph_->size() : 0;
  Plan plan{.effort = may_use_graph ? effort_for(query, passing, spare) : std::nullopt};
  plan.compared = (plan.effort ? std::min(in_graph, *plan.effort * kComparisonsPerEffort) : in_graph) + rows_.size();
  plan.takes_long = takes_long(query, plan.compared);
  return plan;
}

VectorPartition::Position VectorPartition::begin_search(const Query& query, Plan& plan, Closest& closest) const {
  if (!plan.effort) return {};
  const size_t passed = walk_graph(query, *plan.effort, closest);
  const size_t in_graph = graph_->size() - graph_->deleted_count();
  if (passed >= std::min(query.count, in_graph)) {
    // There may be more vectors in the graph, all of which are farther.
    if (passed < in_graph) closest.limit_to(passed);
    return {.number = std::numeric_limits<size_t>::max()};
  }
  // The filter may have passed too few candidates, or parts of the graph may be unreachable. Then scan all vectors.
  closest.clear();
  plan.effort.reset();
  plan.compared = graph_->size() + rows_.size();
  plan.takes_long = takes_long(query, plan.compared);
  return {};
}

VectorPartition::Answer VectorPartition::answer(const Closest& closest, const Plan& plan) const {
  Answer answer{.found = {}, .examined = places_.size()};
  if (plan.effort && graph_) answer.examined = std::min(graph_->size(), *plan.effort * 8) + rows_.size();
  for (const Candidate& candidate : closest.sorted()) {
    answer.found.push_back({.key = *candidate.key, .rank = candidate.rank});
  }
  return answer;
}

std::optional<VectorPartition::Answer> VectorPartition::search_under_lock(const Query& query, Plan plan,
                                                                          size_t compared_max) const {
  if (plan.compared > compared_max) return std::nullopt;
  Closest closest(query.count);
  Position position = begin_search(query, plan, closest);
  if (plan.takes_long) return too_long();
  if (plan.compared > compared_max) return std::nullopt;
  scan(position, std::numeric_limits<size_t>::max(), query, closest);
  return answer(closest, plan);
}

std::optional<VectorPartition::Answer> VectorPartition::search_in_slices(const Query& query, bool may_use_graph,
                                                                         size_t passing, size_t spare) const {
  const Changes changes(*this);
  Closest candidates(query.count + spare);
  Plan plan;
  Position position;
  {
    const Reading reading(*this);
    plan = make_plan(query, may_use_graph, passing, spare);
    if (!plan.takes_long) position = begin_search(query, plan, candidates);
    if (plan.takes_long) return too_long();
  }
  const auto scan_slice = [&] {
    const Reading reading(*this);
    return scan(position, slice_vectors(), query, candidates);
  };
  while (scan_slice()) TRESTLE_TEST_POINT("vectors.slice");
  const Reading reading(*this);
  Closest closest(query.count);
  if (!changes.apply(query, candidates, closest)) return std::nullopt;
  return answer(closest, plan);
}

VectorPartition::Answer VectorPartition::search(Query query, bool may_use_graph) const {
  if (query.count == 0) return {};
  const std::vector<float> vector = prepare_copy(query.vector);
  query.vector = vector;
  size_t passing = 0;
  if (may_use_graph) {
    if (searches_.fetch_add(1, std::memory_order_relaxed) % kQueriesSampled == 0) note_query(vector);
    // To determine the effort of a filtered search, all vectors of the graph are visited.
    if (is_filtered(query)) {
      if (takes_long(query, size_in_graph())) return too_long();
      passing = count_passing(query);
    }
  }
  {
    const Reading reading(*this);
    const Plan plan = make_plan(query, may_use_graph, passing);
    if (plan.takes_long) return too_long();
    if (auto answer = search_under_lock(query, plan, slice_vectors())) return *std::move(answer);
  }
  for (const size_t spare : kSpares) {
    if (auto answer = search_in_slices(query, may_use_graph, passing, spare)) return *std::move(answer);
  }
  TRESTLE_TEST_POINT("vectors.search_under_lock");
  const Reading reading(*this);
  return *search_under_lock(query, make_plan(query, may_use_graph, passing), std::numeric_limits<size_t>::max());
}

VectorPartition::Answer VectorPartition::search(const Query& query) const { return search(query, true); }

VectorPartition::Answer VectorPartition::search_exactly(const Query& query) const { return search(query, false); }

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

// A search need not know: the graph is searched first, and the row is a new one, so the vector is found in one of them
// or in both.
void VectorPartition::move_to_rows(uint32_t number) {
  if (graph_->is_deleted(number)) return;
  const std::string& key = *graph_keys_[number];
  places_.find(key)->second = {.at = static_cast<uint32_t>(rows_.size()), .in_graph = 0};
  rows_.add(key, {graph_->vector(number), space_.dimensions}, {graph_tags(number), space_.tags});
  graph_->mark_deleted(number);
}

void VectorPartition::dissolve_graph(size_t vectors_max) {
  std::unique_ptr<VectorGraph> empty;  // freed after the lock is released, which takes long
  std::vector<const std::string*> keys;
  for (size_t moved = 0; moved < vectors_max && !empty; moved += kMovedPerLock) {
    const Writing writing(*this);
    const size_t end = std::min(graph_->size(), dissolved_ + kMovedPerLock);
    for (; dissolved_ < end; ++dissolved_) move_to_rows(dissolved_);
    if (end == graph_->size()) {
      empty = std::move(graph_);
      keys.swap(graph_keys_);
      graph_tags_.clear();
      is_dissolving_ = false;
      dissolved_ = 0;
    }
    account();
  }
}

// Decides what build() does next. Returns false if there is nothing to do.
bool VectorPartition::begin_building() {
  size_t capacity = 0;
  {
    const Writing writing(*this);
    is_dissolving_ = is_dissolving_ || is_stale();
    is_moving_ = !is_dissolving_ && is_building_due();
    account();
    if (is_dissolving_) return true;
    if (!is_moving_) return false;
    if (graph_) return true;
    capacity = rows_.size() + rows_.size() / 8;
  }
  // Without the lock, because a large graph takes long to allocate. No other thread makes one.
  auto graph = VectorGraph::make(space_.function, space_.dimensions, capacity);
  const Writing writing(*this);
  graph_ = std::move(graph);
  graph_failed_ = graph_ == nullptr;
  calibrated_size_ = 0;
  effort_.store(kFirstEffort, std::memory_order_relaxed);
  account();
  return !graph_failed_;
}

bool VectorPartition::grow_graph() {
  const auto growth = graph_->prepare_growth();  // destroyed after the lock is released
  const Writing writing(*this);
  const bool has_grown = growth && graph_->grow(*growth);
  account();
  return has_grown;
}

void VectorPartition::give_up_graph() {
  graph_failed_ = true;
  is_dissolving_ = true;
  account();
}

bool VectorPartition::build(size_t vectors_max) {
  if (!begin_building()) return false;
  if (is_dissolving_) {  // written by this thread only
    dissolve_graph(vectors_max * kMovedPerLock);
    return true;
  }
  // Locks for one vector at a time, so that other threads do not wait long.
  for (size_t i = 0; i < vectors_max; ++i) {
    const bool has_room = !graph_->is_full() || grow_graph();  // only this thread adds vectors
    const Writing writing(*this);
    if (rows_.size() == 0) break;
    const size_t row = rows_.size() - 1;
    const std::string& key = rows_.key(row);
    if (!has_room || !graph_->add(rows_.vector(row))) {
      give_up_graph();
      break;
    }
    note_change(key, Change::kMoved);
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
  // Generates queries near stored vectors, by reflecting a neighbour at each of them. Stored vectors themselves would
  // be too easy to find.
  for (uint64_t i = 0; i < kSampleMax; ++i) {
    const Reading reading(*this);
    if (graph_->size() == 0) break;
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
                               const std::vector<std::vector<const std::string*>>& truths, size_t effort) const {
  size_t wanted = 0;
  size_t found = 0;
  for (size_t i = 0; i < queries.size(); ++i) {
    const Reading reading(*this);
    Closest closest(kRecallCount);
    walk_graph({.vector = queries[i], .tags = {}}, effort, closest);
    wanted += truths[i].size();
    for (const Candidate& candidate : closest.sorted()) {
      found += std::ranges::count(truths[i], candidate.key) > 0 ? 1 : 0;
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
  std::vector<std::vector<const std::string*>> truths;  // only compared: the keys may have been erased
  for (const auto& query : queries) {
    Closest closest(kRecallCount);
    for (size_t number = 0; number < size;) {
      const Reading reading(*this);
      scan_graph(number, std::min(slice_vectors(), size - number), {.vector = query, .tags = {}}, closest);
    }
    auto& truth = truths.emplace_back();
    for (const Candidate& candidate : closest.sorted()) truth.push_back(candidate.key);
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
