// SplitMix64: a generator that is fast enough to choose a key per request, and reproducible from its printed seed.
#pragma once

#include <cstdint>

namespace trestle::bench {

class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}

  uint64_t next() {
    uint64_t z = (state_ += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }

  // Uniform over [0, bound), for bounds below 2^32.
  uint64_t below(uint64_t bound) { return ((next() >> 32) * bound) >> 32; }

 private:
  uint64_t state_;
};

}  // namespace trestle::bench
