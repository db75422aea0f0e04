// Latencies in logarithmic buckets: 64 per power of two, so a percentile is at most 1.6% above the true value.
// Recording is a few instructions and never allocates. The largest value and the mean are exact.
// Not thread-safe.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace trestle::bench {

class Histogram {
 public:
  void record(uint64_t value);

  uint64_t count() const { return count_; }
  uint64_t max() const { return max_; }
  double mean() const { return count_ == 0 ? 0.0 : static_cast<double>(sum_) / static_cast<double>(count_); }
  // The value that `percent` of the recorded values do not exceed, rounded up to its bucket; 0 when empty.
  uint64_t percentile(double percent) const;

 private:
  static constexpr unsigned kStepBits = 6;
  static constexpr uint64_t kSteps = 1u << kStepBits;
  static constexpr size_t kBuckets = kSteps * (64 - kStepBits + 1);

  static size_t bucket_of(uint64_t value);
  static uint64_t last_value_of(size_t bucket);

  std::array<uint64_t, kBuckets> counts_{};
  uint64_t count_ = 0;
  uint64_t sum_ = 0;
  uint64_t max_ = 0;
};

}  // namespace trestle::bench
