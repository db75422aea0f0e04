#include "vector/vector_graph.h"

// hnswlib reads ahead by one neighbour where it prefetches, which may be one number beyond a list. Harmless, but not in
// the eyes of a sanitizer; without its vector code, which is not used here, it does not.
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

constexpr size_t kNeighbours = 16;    // of each vector and layer; twice as many in the lowest
constexpr size_t kBuildEffort = 160;  // how many candidates are looked at for them
constexpr size_t kGrowth = 4;         // a graph that is full grows by a fourth

}  // namespace

// hnswlib's view of a distance: a function of two vectors and a parameter, here their dimensions.
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
  // hnswlib lays out, for each vector, its lowest list, its numbers and its label, one after another: an odd count of
  // numbers puts the label, and so the next vector, where eight bytes may lie.
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
  Impl(DistanceFunction function, size_t dimensions_given, size_t capacity)
      : dimensions(dimensions_given),
        space(function, dimensions_given),
        graph(&space, capacity, kNeighbours, kBuildEffort),
        padded(VectorGraphSpace::padded(dimensions_given)) {}
  const size_t dimensions;
  VectorGraphSpace space;
  hnswlib::HierarchicalNSW<float> graph;
  std::vector<float> padded;  // the vector that is being added
};

VectorGraph::VectorGraph(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
VectorGraph::~VectorGraph() = default;

// hnswlib throws where memory is short. Nothing of it passes this file.
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
  // The vector, its lists, its label, its mutex and its place in hnswlib's tables; upper layers are a sixteenth of it.
  const size_t lists = (2 * kNeighbours + 1) * 4 + (kNeighbours + 1) * 4 / (kNeighbours - 1);
  return capacity * (dimensions * sizeof(float) + lists + 8 + 120);
}

size_t VectorGraph::memory_bytes() const { return memory_bytes(impl_->dimensions, impl_->graph.max_elements_); }

}  // namespace trestle
