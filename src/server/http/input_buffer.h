// Holds the bytes of a connection's incomplete request. Grows by doubling with realloc, so that the kernel moves a
// large body by remapping pages instead of copying. When empty, it keeps only a small block.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>

#include "base/check.h"

namespace trestle {

class InputBuffer {
 public:
  InputBuffer() = default;
  ~InputBuffer() { std::free(data_); }
  InputBuffer(const InputBuffer&) = delete;
  InputBuffer& operator=(const InputBuffer&) = delete;

  char* data() { return data_; }
  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  size_t capacity() const { return capacity_; }
  char* tail() { return data_ + size_; }
  size_t room() const { return capacity_ - size_; }

  void grow_room(size_t bytes) {
    if (room() >= bytes) return;
    capacity_ = std::max({size_ + bytes, capacity_ * 2, size_t{4096}});
    data_ = static_cast<char*>(std::realloc(data_, capacity_));
    CHECK(data_ != nullptr, "out of memory");
  }
  void append(const char* bytes, size_t count) {
    grow_room(count);
    std::memcpy(tail(), bytes, count);
    size_ += count;
  }
  void added(size_t bytes) { size_ += bytes; }
  void truncate(size_t size) { size_ = size; }
  void drop_front(size_t bytes) {
    size_ -= bytes;
    if (size_ != 0) {
      std::memmove(data_, data_ + bytes, size_);
    } else if (capacity_ > kRetainedBytes) {
      std::free(data_);
      data_ = nullptr;
      capacity_ = 0;
    }
  }

 private:
  static constexpr size_t kRetainedBytes = 16 * 1024;
  char* data_ = nullptr;
  size_t size_ = 0;
  size_t capacity_ = 0;
};

}  // namespace trestle
