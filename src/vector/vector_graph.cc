#include "vector/vector_graph.h"

// When hnswlib prefetches, it reads one neighbour ahead, possibly one number beyond the end of a list. That is
// harmless, but sanitizers report it. Without its own vector code, which is not used here, hnswlib does not prefetch.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define NO_MANUAL_VECTORIZATION
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define NO_MANUAL_VECTORIZATION
#endif
#endif
#include <hnswlib/hnswlib.h>

#include <algorithm>
#include <cstdlib>

#include "vector/distance.h"
#include "vector/page_region.h"

namespace trestle {
namespace {

constexpr size_t kNeighbours = 16;    // of each vector in each layer; twice as many in the lowest layer
constexpr size_t kBuildEffort = 160;  // the number of candidates examined to find them
constexpr size_t kGrowth = 4;         // a full graph grows by a quarter

}  // namespace

// hnswlib's interface to a distance: a function of two vectors and a parameter, which is the number of dimensions here.
class VectorGraphSpace final : public hnswlib::SpaceInterface<float> {
 public:
  VectorGraphSpace(DistanceFunction function, size_t dimensions) : dimensions_(dimensions) {
    switch (function) {
      case DistanceFunction::kCosine:
        rank_ = rank<DistanceFunction::kCosine>;
        break;
      case DistanceFunction::kDotProduct:
        rank_ = rank<DistanceFunction::kDotProduct>;
        break;
      case DistanceFunction::kEuclidean:
        rank_ = rank<DistanceFunction::kEuclidean>;
        break;
    }
  }
  // hnswlib stores for each vector its lowest list, its numbers and its label consecutively. With an odd count of
  // numbers, the eight-byte label, and so the next vector, is aligned to eight bytes.
  static size_t padded(size_t dimensions) { return dimensions | 1; }
  size_t get_data_size() override { return padded(dimensions_) * sizeof(float); }
  hnswlib::DISTFUNC<float> get_dist_func() override { return rank_; }
  void* get_dist_func_param() override { return &dimensions_; }

 private:
  template <DistanceFunction kFunction>
  static float rank(const void* a, const void* b, const void* dimensions) {
    static const RankFunction kRank = rank_function(kFunction);
    return kRank(static_cast<const float*>(a), static_cast<const float*>(b), *static_cast<const size_t*>(dimensions));
  }

  size_t dimensions_;
  hnswlib::DISTFUNC<float> rank_ = nullptr;
};

struct VectorGraph::Impl {
  Impl(DistanceFunction function, size_t vector_dimensions, size_t capacity)
      : dimensions(vector_dimensions),
        space(function, vector_dimensions),
        graph(&space, capacity, kNeighbours, kBuildEffort),
        padded(VectorGraphSpace::padded(vector_dimensions)),
        vectors(PageRegion::allocate(capacity * graph.size_data_per_element_)) {
    if (vectors.data() == nullptr) throw std::bad_alloc();
    // hnswlib has allocated the memory of the vectors, too, but has not used it yet.
    std::free(graph.data_level0_memory_);
    graph.data_level0_memory_ = vectors.data();
  }
  ~Impl() { graph.data_level0_memory_ = nullptr; }
  const size_t dimensions;
  VectorGraphSpace space;
  hnswlib::HierarchicalNSW<float> graph;
  std::vector<float> padded;  // the vector that is being added
  PageRegion vectors;         // and their lists in the lowest layer
  size_t added = 0;           // hnswlib also counts a vector that it failed to add
};

// The larger parts, and after grow() the replaced ones. The names are those of hnswlib.
struct VectorGraph::Growth {
  struct Free {
    void operator()(char** lists) const { std::free(static_cast<void*>(lists)); }
  };
  size_t capacity = 0;
  PageRegion vectors;  // reserved; after grow() empty
  std::unique_ptr<hnswlib::VisitedListPool> visited_list_pool;
  std::vector<int> element_levels;
  std::vector<std::mutex> link_list_locks;
  std::unique_ptr<char*, Free> link_lists;
};

VectorGraph::VectorGraph(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
VectorGraph::~VectorGraph() = default;

// hnswlib throws when memory is short. No exception leaves this file.
std::unique_ptr<VectorGraph> VectorGraph::make(DistanceFunction function, size_t dimensions, size_t capacity) {
  try {
    auto impl = std::make_unique<Impl>(function, dimensions, std::max<size_t>(capacity, 16));
    return std::unique_ptr<VectorGraph>(new VectorGraph(std::move(impl)));
  } catch (const std::exception&) {
    return nullptr;
  }
}

bool VectorGraph::is_full() const { return impl_->added == impl_->graph.max_elements_; }

// This replaces hnswlib's resizeIndex, which allocates, copies and frees while no other thread may use the graph.
std::shared_ptr<VectorGraph::Growth> VectorGraph::prepare_growth() const {
  const auto& graph = impl_->graph;
  try {
    auto growth = std::make_shared<Growth>();
    growth->capacity = graph.max_elements_ + graph.max_elements_ / kGrowth + 1;
    growth->vectors = PageRegion::reserve(growth->capacity * graph.size_data_per_element_);
    growth->visited_list_pool = std::make_unique<hnswlib::VisitedListPool>(1, static_cast<int>(growth->capacity));
    growth->element_levels.reserve(growth->capacity);
    growth->element_levels = graph.element_levels_;
    growth->element_levels.resize(growth->capacity);
    growth->link_list_locks = std::vector<std::mutex>(growth->capacity);
    growth->link_lists.reset(static_cast<char**>(std::malloc(growth->capacity * sizeof(char*))));
    if (growth->vectors.data() == nullptr || growth->link_lists == nullptr) return nullptr;
    std::copy_n(graph.linkLists_, graph.cur_element_count, growth->link_lists.get());
    return growth;
  } catch (const std::exception&) {
    return nullptr;
  }
}

bool VectorGraph::grow(Growth& growth) {
  auto& graph = impl_->graph;
  if (!growth.vectors.take(impl_->vectors)) return false;
  std::swap(impl_->vectors, growth.vectors);
  graph.data_level0_memory_ = impl_->vectors.data();
  graph.element_levels_.swap(growth.element_levels);
  graph.link_list_locks_.swap(growth.link_list_locks);
  char** const link_lists = growth.link_lists.release();
  growth.link_lists.reset(graph.linkLists_);
  graph.linkLists_ = link_lists;
  auto* const pool = growth.visited_list_pool.release();
  growth.visited_list_pool.reset(graph.visited_list_pool_);
  graph.visited_list_pool_ = pool;
  graph.max_elements_ = growth.capacity;
  return true;
}

// If hnswlib throws, the vector may be connected, and count, although it was not added.
bool VectorGraph::add(const float* vector) {
  auto& graph = impl_->graph;
  if (is_full() || graph.cur_element_count != impl_->added) return false;
  try {
    std::copy_n(vector, impl_->dimensions, impl_->padded.begin());
    graph.addPoint(impl_->padded.data(), impl_->added);
    ++impl_->added;
    graph.label_lookup_.clear();  // never used, because labels are numbers; rehashing it would take long
    return true;
  } catch (const std::exception&) {
    return false;
  }
}

void VectorGraph::mark_deleted(uint32_t number) { impl_->graph.markDeletedInternal(number); }
bool VectorGraph::is_deleted(uint32_t number) const { return impl_->graph.isMarkedDeleted(number); }
size_t VectorGraph::size() const { return impl_->added; }
size_t VectorGraph::deleted_count() const { return impl_->graph.num_deleted_; }

const float* VectorGraph::vector(uint32_t number) const {
  return reinterpret_cast<const float*>(impl_->graph.getDataByInternalId(number));
}

std::vector<VectorGraph::Neighbour> VectorGraph::search(const float* query, size_t effort) const {
  std::vector<Neighbour> found;
  if (size() == deleted_count()) return found;
  try {
    auto closest = impl_->graph.searchKnn(query, effort);
    found.reserve(closest.size());
    for (; !closest.empty(); closest.pop()) {
      if (closest.top().second >= impl_->added) continue;  // add() failed
      found.push_back({.number = static_cast<uint32_t>(closest.top().second), .rank = closest.top().first});
    }
  } catch (const std::exception&) {
    found.clear();
  }
  return found;
}

size_t VectorGraph::memory_bytes(size_t dimensions, size_t capacity) {
  // The vector, its lists, its label, its mutex, and its share of hnswlib's tables; upper layers add a sixteenth.
  const size_t lists = (2 * kNeighbours + 1) * 4 + (kNeighbours + 1) * 4 / (kNeighbours - 1);
  return capacity * (dimensions * sizeof(float) + lists + 8 + 120);
}

size_t VectorGraph::memory_bytes() const { return memory_bytes(impl_->dimensions, impl_->graph.max_elements_); }

}  // namespace trestle
