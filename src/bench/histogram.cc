#include "bench/histogram.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace trestle::bench {

// Values below 64 have a bucket each. Above, a value's top seven bits choose the bucket within its power of two.
size_t Histogram::bucket_of(uint64_t value) {
  if (value < kSteps) return value;
  const unsigned shift = static_cast<unsigned>(std::bit_width(value)) - 1 - kStepBits;
  return (shift + 1) * kSteps + ((value >> shift) - kSteps);
}

uint64_t Histogram::last_value_of(size_t bucket) {
  if (bucket < kSteps) return bucket;
  const unsigned shift = static_cast<unsigned>(bucket / kSteps) - 1;
  const uint64_t first = (kSteps + bucket % kSteps) << shift;
  return first + ((uint64_t{1} << shift) - 1);
}

void Histogram::record(uint64_t value) {
  ++counts_[bucket_of(value)];
  ++count_;
  sum_ += value;
  max_ = std::max(max_, value);
}

uint64_t Histogram::percentile(double percent) const {
  if (count_ == 0) return 0;
  const double exact_rank = std::ceil(percent / 100.0 * static_cast<double>(count_));
  const uint64_t rank = std::clamp<uint64_t>(static_cast<uint64_t>(exact_rank), 1, count_);
  uint64_t seen = 0;
  for (size_t bucket = 0; bucket < kBuckets; ++bucket) {
    seen += counts_[bucket];
    if (seen >= rank) return std::min(last_value_of(bucket), max_);
  }
  return max_;
}

}  // namespace trestle::bench
