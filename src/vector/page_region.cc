#include "vector/page_region.h"

#include <sys/mman.h>

#include <cstdint>

#include "base/check.h"

namespace trestle {
namespace {

constexpr size_t kPageRegionAlignment = size_t{2} << 20;

size_t round_up_region(size_t bytes) {
  return (bytes + kPageRegionAlignment - 1) / kPageRegionAlignment * kPageRegionAlignment;
}

}  // namespace

PageRegion PageRegion::allocate(size_t bytes) { return {bytes, PROT_READ | PROT_WRITE}; }

PageRegion PageRegion::reserve(size_t bytes) { return {bytes, PROT_NONE}; }

PageRegion::PageRegion(size_t bytes, int protection) {
  bytes = round_up_region(bytes);
  const size_t mapped_bytes = bytes + kPageRegionAlignment;
  void* const mapped = mmap(nullptr, mapped_bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) return;
  char* const first = static_cast<char*>(mapped);
  const size_t before = round_up_region(reinterpret_cast<uintptr_t>(first)) - reinterpret_cast<uintptr_t>(first);
  begin_ = first + before;
  bytes_ = bytes;
  if (before > 0) munmap(first, before);
  if (before < kPageRegionAlignment) munmap(begin_ + bytes_, kPageRegionAlignment - before);
}

PageRegion::~PageRegion() {
  if (begin_ != nullptr) munmap(begin_, bytes_);
}

bool PageRegion::take(PageRegion& smaller) {
  CHECK(begin_ != nullptr && smaller.begin_ != nullptr && smaller.bytes_ <= bytes_);
  if (mremap(smaller.begin_, smaller.bytes_, bytes_, MREMAP_MAYMOVE | MREMAP_FIXED, begin_) == MAP_FAILED) {
    // Linux may have unmapped the addresses, and another thread may have mapped them since.
    begin_ = nullptr;
    bytes_ = 0;
    return false;
  }
  smaller.begin_ = nullptr;
  smaller.bytes_ = 0;
  return true;
}

}  // namespace trestle
