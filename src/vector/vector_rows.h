// Vectors and their keys in rows, for a sequential scan. The order is arbitrary: erasing a row moves the last row into
// its place. Otherwise rows do not move, and memory grows in blocks of rows. Keys are borrowed. Not thread-safe, except
// for concurrent reads.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace trestle {

class VectorRows {
 public:
  // `tags` is the number of filter values of each vector.
  VectorRows(size_t dimensions, size_t tags) : dimensions_(dimensions), tags_(tags) {}

  size_t size() const { return keys_.size(); }
  const float* vector(size_t row) const { return blocks_[row / kBlockRows].get() + row % kBlockRows * dimensions_; }
  const std::string& key(size_t row) const { return *keys_[row]; }
  const uint64_t* tags(size_t row) const { return tag_values_.data() + row * tags_; }

  void add(const std::string& key, std::span<const float> vector, std::span<const uint64_t> tags);
  // Returns the key of the row that was moved into its place, or null if it was the last row.
  const std::string* erase(size_t row);
  // Excluding the keys.
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
