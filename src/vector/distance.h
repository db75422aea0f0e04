// Distances between vectors.
//
// score() is the value returned to clients: computed with 64 bits from 32-bit numbers, rounded to 32 bits at the end
// and clamped to the range of the function. A vector has exactly distance 0 from itself, and COSINE of a zero vector is
// 1.
//
// Rank is the value that searches compare: less is closer, whatever the function. It is computed with 32 bits by the
// widest available instructions (AVX-512, AVX2) and may therefore differ from the score in the last digits. Searches
// take a few more candidates than they need and sort them by score.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "model/table.h"

namespace trestle {

// All there are.
inline constexpr DistanceFunction kEveryDistanceFunction[] = {DistanceFunction::kCosine, DistanceFunction::kDotProduct,
                                                              DistanceFunction::kEuclidean};

double score(DistanceFunction function, std::span<const float> a, std::span<const float> b);
// Whether a result of score `a` comes before one of score `b`.
inline bool is_closer(DistanceFunction function, double a, double b) {
  return function == DistanceFunction::kDotProduct ? a > b : a < b;
}

// A vector as ranking wants it: for COSINE, of length 1.
void prepare(DistanceFunction function, std::span<float> vector);

// The rank of two prepared vectors of n numbers. Never NaN.
using RankFunction = float (*)(const float* a, const float* b, size_t n);
RankFunction rank_function(DistanceFunction function);

// "avx512", "avx2" or "plain": which instructions rank_function() uses. And each by name, null if the processor has not
// got them; for tests and measurements.
std::string_view rank_instructions();
RankFunction rank_function(DistanceFunction function, std::string_view instructions);

}  // namespace trestle
