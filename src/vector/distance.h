// Distances between vectors.
//
// score() is the value returned to clients. It is computed in 64 bits from 32-bit numbers, rounded to 32 bits at the
// end, and clamped to the range of the function. The distance of a vector to itself is exactly 0, and COSINE of a zero
// vector is 1.
//
// The rank is the value that searches compare: for every function, a lower rank is closer. It is computed in 32 bits
// with the widest available instructions (AVX-512, AVX2), so its order may differ from the score's in the last digits.
// Therefore searches take a few more candidates than they need and sort them by score.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "model/table.h"

namespace trestle {

// All distance functions.
inline constexpr DistanceFunction kEveryDistanceFunction[] = {DistanceFunction::kCosine, DistanceFunction::kDotProduct,
                                                              DistanceFunction::kEuclidean};

double score(DistanceFunction function, std::span<const float> a, std::span<const float> b);
// Whether a result of score `a` comes before one of score `b`.
inline bool is_closer(DistanceFunction function, double a, double b) {
  return function == DistanceFunction::kDotProduct ? a > b : a < b;
}

// Prepares a vector for ranking: for COSINE, scales it to length 1.
void prepare(DistanceFunction function, std::span<float> vector);

// The rank of two prepared vectors of n numbers. Never NaN.
using RankFunction = float (*)(const float* a, const float* b, size_t n);
RankFunction rank_function(DistanceFunction function);

// The instructions that rank_function() uses: "avx512", "avx2" or "plain". For tests and measurements, the second
// function selects them by name; it returns null if the processor does not support them.
std::string_view rank_instructions();
RankFunction rank_function(DistanceFunction function, std::string_view instructions);

}  // namespace trestle
