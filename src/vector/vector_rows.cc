#include "vector/vector_rows.h"

#include <algorithm>

namespace trestle {

void VectorRows::add(const std::string& key, std::span<const float> vector, std::span<const uint64_t> tags) {
  const size_t row = keys_.size();
  if (row / kBlockRows == blocks_.size()) {
    blocks_.push_back(std::make_unique_for_overwrite<float[]>(kBlockRows * dimensions_));
  }
  std::ranges::copy(vector, blocks_[row / kBlockRows].get() + row % kBlockRows * dimensions_);
  keys_.push_back(&key);
  tag_values_.insert(tag_values_.end(), tags.begin(), tags.end());
}

const std::string* VectorRows::erase(size_t row) {
  const size_t last = keys_.size() - 1;
  if (row != last) {
    float* const place = blocks_[row / kBlockRows].get() + row % kBlockRows * dimensions_;
    std::copy_n(vector(last), dimensions_, place);
    std::copy_n(tags(last), tags_, tag_values_.data() + row * tags_);
    keys_[row] = keys_[last];
  }
  keys_.pop_back();
  tag_values_.resize(last * tags_);
  // One empty block is retained, so that adding and erasing a row does not allocate each time.
  if (blocks_.size() > last / kBlockRows + 2) blocks_.pop_back();
  return row == last ? nullptr : keys_[row];
}

size_t VectorRows::memory_bytes() const {
  return blocks_.size() * kBlockRows * dimensions_ * sizeof(float) + keys_.capacity() * sizeof(void*) +
         tag_values_.capacity() * sizeof(uint64_t);
}

}  // namespace trestle
