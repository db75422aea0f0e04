// How alike two vectors are.
//
// score() is what clients are told: computed with 64 bits from numbers of 32, rounded to 32 at the end and held within
// what they can tell. Exactly: a vector is at distance 0 from itself, and COSINE of a vector of zeros is 1.
//
// Rank is what searches compare by: less is closer, whatever the function. It is computed with 32 bits by the widest
// instructions that the processor has (AVX-512, AVX2), and may so differ from the score in the last digits; those who
// rank take a few more than they need, and order them by score.
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

// Of two prepared vectors of n numbers. Never NaN.
using RankFunction = float (*)(const float* a, const float* b, size_t n);
RankFunction rank_function(DistanceFunction function);

// "avx512", "avx2" or "plain": which instructions rank_function() uses. And each by name, null if the processor has not
// got them; for tests and measurements.
std::string_view rank_instructions();
RankFunction rank_function(DistanceFunction function, std::string_view instructions);

}  // namespace trestle
