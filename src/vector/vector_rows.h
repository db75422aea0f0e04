// Vectors and their keys in rows, for a sequential scan. The order has no meaning: erasing a row moves the last row
// into its place. Otherwise rows do not move, and memory grows in blocks of rows. Keys are borrowed. Not thread-safe,
// except for concurrent reads.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace trestle {

class VectorRows {
 public:
  // `tags` is how many numbers go with each vector, for filters.
  VectorRows(size_t dimensions, size_t tags) : dimensions_(dimensions), tags_(tags) {}

  size_t size() const { return keys_.size(); }
  const float* vector(size_t row) const { return blocks_[row / kBlockRows].get() + row % kBlockRows * dimensions_; }
  const std::string& key(size_t row) const { return *keys_[row]; }
  const uint64_t* tags(size_t row) const { return tag_values_.data() + row * tags_; }

  void add(const std::string& key, std::span<const float> vector, std::span<const uint64_t> tags);
  // The key of the row that took its place; null if it was the last one.
  const std::string* erase(size_t row);
  // Without the keys.
  size_t memory_bytes() const;

 private:
  static constexpr size_t kBlockRows = 256;

  const size_t dimensions_;
  const size_t tags_;
  std::vector<std::unique_ptr<float[]>> blocks_;
  std::vector<const std::string*> keys_;
  std::vector<uint64_t> tag_values_;
};

}  // namespace trestle
