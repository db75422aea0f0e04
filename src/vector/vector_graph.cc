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

#include "vector/distance.h"

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
        padded(VectorGraphSpace::padded(vector_dimensions)) {}
  const size_t dimensions;
  VectorGraphSpace space;
  hnswlib::HierarchicalNSW<float> graph;
  std::vector<float> padded;  // the vector that is being added
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

bool VectorGraph::add(const float* vector) {
  auto& graph = impl_->graph;
  try {
    if (graph.cur_element_count == graph.max_elements_) {
      graph.resizeIndex(graph.max_elements_ + graph.max_elements_ / kGrowth + 1);
    }
    std::copy_n(vector, impl_->dimensions, impl_->padded.begin());
    graph.addPoint(impl_->padded.data(), graph.cur_element_count);
    return true;
  } catch (const std::exception&) {
    return false;
  }
}

void VectorGraph::mark_deleted(uint32_t number) { impl_->graph.markDelete(number); }
bool VectorGraph::is_deleted(uint32_t number) const { return impl_->graph.isMarkedDeleted(number); }
size_t VectorGraph::size() const { return impl_->graph.cur_element_count; }
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
