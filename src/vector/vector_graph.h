// An approximate index of vectors: a graph whose neighbours are close (HNSW). Only its source file includes hnswlib.
//
// Vectors can be added and marked as deleted but not removed; after many deletions the caller builds a new graph. The
// graph copies the prepared vectors (vector/distance.h). search() may run on several threads concurrently, but no other
// method meanwhile.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "model/table.h"

namespace trestle {

class VectorGraph {
 public:
  // Null: there is no memory for it.
  static std::unique_ptr<VectorGraph> make(DistanceFunction function, size_t dimensions, size_t capacity);
  ~VectorGraph();

  // Vectors are numbered in the order in which they are added. False: there is no memory for it.
  bool add(const float* vector);
  void mark_gone(uint32_t number);
  bool is_gone(uint32_t number) const;
  // The number of vectors ever added, and of those deleted.
  size_t size() const;
  size_t gone() const;
  const float* vector(uint32_t number) const;

  struct Neighbour {
    uint32_t number = 0;
    float rank = 0;
  };
  // Up to `effort` of the closest vectors, unordered, without deleted ones. More effort gives better recall.
  std::vector<Neighbour> search(const float* query, size_t effort) const;

  // Memory of a graph of this capacity, and of this graph.
  static size_t memory_bytes(size_t dimensions, size_t capacity);
  size_t memory_bytes() const;

 private:
  struct Impl;
  explicit VectorGraph(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace trestle
