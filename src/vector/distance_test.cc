#include "vector/distance.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "vector/random_vectors_for_test.h"

namespace trestle {
namespace {

using Floats = std::vector<float>;
constexpr float kLargest = std::numeric_limits<float>::max();

TEST(Distance, scores_match_dynamodb) {
  const Floats a{1, 0, 0};
  EXPECT_EQ(score(DistanceFunction::kCosine, a, a), 0);
  EXPECT_EQ(score(DistanceFunction::kCosine, a, Floats{0, 1, 0}), 1);
  EXPECT_EQ(score(DistanceFunction::kCosine, a, Floats{-1, 0, 0}), 2);
  EXPECT_EQ(score(DistanceFunction::kCosine, a, Floats{10, 0, 0}), 0);
  EXPECT_NEAR(score(DistanceFunction::kCosine, a, Floats{0.6f, 0.8f, 0}), 0.4, 1e-6);
  EXPECT_EQ(score(DistanceFunction::kEuclidean, a, Floats{-1, 0, 0}), 2);
  EXPECT_EQ(score(DistanceFunction::kEuclidean, a, Floats{10, 0, 0}), 9);
  EXPECT_EQ(score(DistanceFunction::kDotProduct, a, Floats{-1, 5, 5}), -1);
}

TEST(Distance, a_zero_vector_has_cosine_distance_one_and_tiny_vectors_are_not_zero) {
  EXPECT_EQ(score(DistanceFunction::kCosine, Floats{0, 0}, Floats{1, 0}), 1);
  EXPECT_EQ(score(DistanceFunction::kCosine, Floats{0, 0}, Floats{0, 0}), 1);
  EXPECT_EQ(score(DistanceFunction::kCosine, Floats{1e-23f, 0}, Floats{0, 1}), 1);
  EXPECT_EQ(score(DistanceFunction::kCosine, Floats{1e-23f, 0}, Floats{1, 0}), 0);
}

TEST(Distance, scores_stay_within_32_bits) {
  const Floats a{kLargest, kLargest};
  const Floats b{-kLargest, -kLargest};
  EXPECT_EQ(score(DistanceFunction::kEuclidean, a, b), kLargest);
  EXPECT_EQ(score(DistanceFunction::kDotProduct, a, b), -kLargest);
  EXPECT_EQ(score(DistanceFunction::kDotProduct, a, Floats{kLargest, -kLargest}), 0);
}

TEST(Distance, every_instruction_set_ranks_in_the_order_of_scores) {
  for (const size_t dimensions : {1u, 2u, 7u, 8u, 15u, 16u, 31u, 33u, 100u, 256u, 1025u}) {
    RandomVectors vectors(dimensions, dimensions);
    for (const DistanceFunction function : kEveryDistanceFunction) {
      for (const std::string_view width : {"plain", "avx2", "avx512"}) {
        const RankFunction rank = rank_function(function, width);
        if (rank == nullptr) continue;
        auto a = vectors.next();
        auto b = vectors.next();
        const double exact = score(function, a, b);
        prepare(function, a);
        prepare(function, b);
        const double ranked = rank(a.data(), b.data(), dimensions);
        const double expected = function == DistanceFunction::kCosine       ? exact
                                : function == DistanceFunction::kDotProduct ? -exact
                                                                            : exact * exact;
        const double scale = function == DistanceFunction::kCosine ? 1 : 100.0 * static_cast<double>(dimensions);
        EXPECT_NEAR(ranked, expected, 1e-5 * scale) << width << " " << dimensions;
      }
    }
  }
}

TEST(Distance, ranks_of_huge_vectors_are_not_nan) {
  const Floats a(40, kLargest);
  Floats b(40, kLargest);
  for (size_t i = 0; i < b.size(); i += 2) b[i] = -kLargest;
  for (const std::string_view width : {"plain", "avx2", "avx512"}) {
    for (const DistanceFunction function : {DistanceFunction::kDotProduct, DistanceFunction::kEuclidean}) {
      const RankFunction rank = rank_function(function, width);
      if (rank == nullptr) continue;
      EXPECT_TRUE(std::isfinite(rank(a.data(), b.data(), a.size())));
      EXPECT_TRUE(std::isfinite(rank(a.data(), a.data(), a.size())));
    }
  }
}

}  // namespace
}  // namespace trestle
