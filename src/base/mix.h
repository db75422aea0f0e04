// A bijective 64-bit hash function.
#pragma once

#include <cstdint>

namespace trestle {

constexpr uint64_t mix64(uint64_t v) {
  v += 0x9E3779B97F4A7C15;
  v = (v ^ v >> 30) * 0xBF58476D1CE4E5B9;
  v = (v ^ v >> 27) * 0x94D049BB133111EB;
  return v ^ v >> 31;
}

}  // namespace trestle
