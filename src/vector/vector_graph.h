// An approximate index of vectors: a graph that connects close vectors (HNSW). Only vector_graph.cc includes hnswlib.
//
// Vectors can be added and marked as deleted, but not removed; after many deletions the caller builds a new graph. The
// graph copies the prepared vectors (vector/distance.h). search() may run on several threads concurrently, but not
// concurrently with any other method, except prepare_growth().
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
  // Returns null if there is not enough memory.
  static std::unique_ptr<VectorGraph> make(DistanceFunction function, size_t dimensions, size_t capacity);
  ~VectorGraph();

  // A full graph must grow before a vector is added. Preparing that takes long, so searches and mark_deleted() may run
  // meanwhile on other threads. grow() takes about a millisecond, and leaves what it replaced in `growth`: destroying
  // that takes long, too.
  struct Growth;
  bool is_full() const;
  // Returns null if there is not enough memory. Shared only because the type is incomplete here.
  std::shared_ptr<Growth> prepare_growth() const;
  // Returns false, without an effect, if there is not enough memory.
  bool grow(Growth& growth);

  // Vectors are numbered in the order in which they are added. Returns false if the graph is full or there is not
  // enough memory. In the second case no vector can be added any more.
  bool add(const float* vector);
  void mark_deleted(uint32_t number);
  bool is_deleted(uint32_t number) const;
  // The number of vectors that were added, and how many of them are deleted.
  size_t size() const;
  size_t deleted_count() const;
  const float* vector(uint32_t number) const;

  struct Neighbour {
    uint32_t number = 0;
    float rank = 0;
  };
  // Up to `effort` of the closest vectors, unordered, without deleted ones. More effort improves recall.
  std::vector<Neighbour> search(const float* query, size_t effort) const;

  // The memory used by a graph with this capacity, and by this graph.
  static size_t memory_bytes(size_t dimensions, size_t capacity);
  size_t memory_bytes() const;

 private:
  struct Impl;
  explicit VectorGraph(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace trestle
