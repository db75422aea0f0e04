// A large array of bytes that can grow without being copied: its pages move to another address.
//
// Growth takes two steps, because only the second one must exclude readers:
//
//   PageRegion larger = PageRegion::reserve(bytes);   // only addresses
//   larger.take(region);                              // half a millisecond for 2 GB
//
// Regions begin at multiples of 2 MB, so that Linux moves 2 MB at a time.
#pragma once

#include <cstddef>
#include <utility>

namespace trestle {

class PageRegion {
 public:
  PageRegion() = default;
  // data() is null if there is not enough memory. Bytes are zero, and take no memory until they are written.
  static PageRegion allocate(size_t bytes);
  // A region that cannot be accessed until it takes the pages of another one.
  static PageRegion reserve(size_t bytes);
  ~PageRegion();
  PageRegion(PageRegion&& other) noexcept
      : begin_(std::exchange(other.begin_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  PageRegion& operator=(PageRegion&& other) noexcept {
    std::swap(begin_, other.begin_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }

  char* data() const { return begin_; }
  // Takes the pages of `smaller`, which is then empty. If there is not enough memory, returns false: then `smaller` is
  // unchanged, and this region is empty.
  bool take(PageRegion& smaller);

 private:
  PageRegion(size_t bytes, int protection);

  char* begin_ = nullptr;
  size_t bytes_ = 0;
};

}  // namespace trestle
