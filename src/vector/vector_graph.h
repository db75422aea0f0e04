// An approximate index of vectors: a graph in which neighbours are close (HNSW, by hnswlib). Its source is all that
// knows hnswlib.
//
// Vectors are added and marked as gone, never taken out: whoever has marked many makes a new one. Prepared vectors
// (vector/distance.h) go in, and are kept in it. search() may run in several threads at once; nothing else beside it.
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
  // All that were ever added, and those of them that are gone.
  size_t size() const;
  size_t gone() const;
  const float* vector(uint32_t number) const;

  struct Neighbour {
    uint32_t number = 0;
    float rank = 0;
  };
  // Up to `effort` of the closest that are there, in no order; more effort finds more of the truly closest.
  std::vector<Neighbour> search(const float* query, size_t effort) const;

  // Of a graph of so many, and of this one.
  static size_t memory_bytes(size_t dimensions, size_t capacity);
  size_t memory_bytes() const;

 private:
  struct Impl;
  explicit VectorGraph(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace trestle
