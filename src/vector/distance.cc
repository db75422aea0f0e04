#include "vector/distance.h"

#include <algorithm>
#include <cmath>
#include <limits>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace trestle {
namespace {

constexpr double kScoreMax = std::numeric_limits<float>::max();

struct Products {
  double ab = 0;
  double aa = 0;
  double bb = 0;
};

Products products(std::span<const float> a, std::span<const float> b) {
  Products sum;
  for (size_t i = 0; i < a.size(); ++i) {
    const double x = a[i];
    const double y = b[i];
    sum.ab += x * y;
    sum.aa += x * x;
    sum.bb += y * y;
  }
  return sum;
}

double cosine_distance(std::span<const float> a, std::span<const float> b) {
  const Products sum = products(a, b);
  if (sum.aa == 0 || sum.bb == 0) return 1;
  if (std::ranges::equal(a, b)) return 0;
  return std::clamp(1 - sum.ab / (std::sqrt(sum.aa) * std::sqrt(sum.bb)), 0.0, 2.0);
}

double euclidean_distance(std::span<const float> a, std::span<const float> b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    const double difference = static_cast<double>(a[i]) - b[i];
    sum += difference * difference;
  }
  return std::sqrt(sum);
}

// ---- Sums of products and of squared differences, for each set of instructions. A result that overflows 32 bits is
// computed again in 64 bits and clamped to the range of 32 bits.

[[gnu::noinline]] float wide_dot(const float* a, const float* b, size_t n) {
  double sum = 0;
  for (size_t i = 0; i < n; ++i) sum += static_cast<double>(a[i]) * b[i];
  return static_cast<float>(std::clamp(sum, -kScoreMax, kScoreMax));
}

[[gnu::noinline]] float wide_square(const float* a, const float* b, size_t n) {
  double sum = 0;
  for (size_t i = 0; i < n; ++i) {
    const double difference = static_cast<double>(a[i]) - b[i];
    sum += difference * difference;
  }
  return static_cast<float>(std::min(sum, kScoreMax));
}

float plain_dot(const float* a, const float* b, size_t n) {
  float sums[8] = {};
  size_t i = 0;
  for (; i + 8 <= n; i += 8) {
    for (size_t j = 0; j < 8; ++j) sums[j] += a[i + j] * b[i + j];
  }
  float sum = 0;
  for (; i < n; ++i) sum += a[i] * b[i];
  for (const float part : sums) sum += part;
  return sum;
}

float plain_square(const float* a, const float* b, size_t n) {
  float sums[8] = {};
  size_t i = 0;
  for (; i + 8 <= n; i += 8) {
    for (size_t j = 0; j < 8; ++j) sums[j] += (a[i + j] - b[i + j]) * (a[i + j] - b[i + j]);
  }
  float sum = 0;
  for (; i < n; ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  for (const float part : sums) sum += part;
  return sum;
}

#if defined(__x86_64__)

__attribute__((target("avx2,fma"))) float sum_of(__m256 v) {
  __m128 half = _mm_add_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
  half = _mm_add_ps(half, _mm_movehl_ps(half, half));
  half = _mm_add_ss(half, _mm_movehdup_ps(half));
  return _mm_cvtss_f32(half);
}

__attribute__((target("avx2,fma"))) float avx2_dot(const float* a, const float* b, size_t n) {
  __m256 s0 = _mm256_setzero_ps();
  __m256 s1 = s0;
  __m256 s2 = s0;
  __m256 s3 = s0;
  size_t i = 0;
  for (; i + 32 <= n; i += 32) {
    s0 = _mm256_fmadd_ps(_mm256_loadu_ps(a + i), _mm256_loadu_ps(b + i), s0);
    s1 = _mm256_fmadd_ps(_mm256_loadu_ps(a + i + 8), _mm256_loadu_ps(b + i + 8), s1);
    s2 = _mm256_fmadd_ps(_mm256_loadu_ps(a + i + 16), _mm256_loadu_ps(b + i + 16), s2);
    s3 = _mm256_fmadd_ps(_mm256_loadu_ps(a + i + 24), _mm256_loadu_ps(b + i + 24), s3);
  }
  for (; i + 8 <= n; i += 8) s0 = _mm256_fmadd_ps(_mm256_loadu_ps(a + i), _mm256_loadu_ps(b + i), s0);
  float sum = sum_of(_mm256_add_ps(_mm256_add_ps(s0, s1), _mm256_add_ps(s2, s3)));
  for (; i < n; ++i) sum += a[i] * b[i];
  return sum;
}

__attribute__((target("avx2,fma"))) float avx2_square(const float* a, const float* b, size_t n) {
  __m256 s0 = _mm256_setzero_ps();
  __m256 s1 = s0;
  __m256 s2 = s0;
  __m256 s3 = s0;
  size_t i = 0;
  for (; i + 32 <= n; i += 32) {
    const __m256 d0 = _mm256_sub_ps(_mm256_loadu_ps(a + i), _mm256_loadu_ps(b + i));
    const __m256 d1 = _mm256_sub_ps(_mm256_loadu_ps(a + i + 8), _mm256_loadu_ps(b + i + 8));
    const __m256 d2 = _mm256_sub_ps(_mm256_loadu_ps(a + i + 16), _mm256_loadu_ps(b + i + 16));
    const __m256 d3 = _mm256_sub_ps(_mm256_loadu_ps(a + i + 24), _mm256_loadu_ps(b + i + 24));
    s0 = _mm256_fmadd_ps(d0, d0, s0);
    s1 = _mm256_fmadd_ps(d1, d1, s1);
    s2 = _mm256_fmadd_ps(d2, d2, s2);
    s3 = _mm256_fmadd_ps(d3, d3, s3);
  }
  for (; i + 8 <= n; i += 8) {
    const __m256 d = _mm256_sub_ps(_mm256_loadu_ps(a + i), _mm256_loadu_ps(b + i));
    s0 = _mm256_fmadd_ps(d, d, s0);
  }
  float sum = sum_of(_mm256_add_ps(_mm256_add_ps(s0, s1), _mm256_add_ps(s2, s3)));
  for (; i < n; ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return sum;
}

__attribute__((target("avx512f"))) __m512 load_tail(const float* at, size_t left) {
  return _mm512_maskz_loadu_ps(static_cast<__mmask16>((1u << left) - 1), at);
}

__attribute__((target("avx512f"))) float sum_of(__m512 v) {
  alignas(64) float parts[16];
  _mm512_store_ps(parts, v);
  float sum = 0;
  for (const float part : parts) sum += part;
  return sum;
}

__attribute__((target("avx512f"))) float avx512_dot(const float* a, const float* b, size_t n) {
  __m512 s0 = _mm512_setzero_ps();
  __m512 s1 = s0;
  size_t i = 0;
  for (; i + 32 <= n; i += 32) {
    s0 = _mm512_fmadd_ps(_mm512_loadu_ps(a + i), _mm512_loadu_ps(b + i), s0);
    s1 = _mm512_fmadd_ps(_mm512_loadu_ps(a + i + 16), _mm512_loadu_ps(b + i + 16), s1);
  }
  for (; i < n; i += 16) {
    const size_t left = std::min<size_t>(16, n - i);
    s0 = _mm512_fmadd_ps(load_tail(a + i, left), load_tail(b + i, left), s0);
  }
  return sum_of(_mm512_add_ps(s0, s1));
}

__attribute__((target("avx512f"))) float avx512_square(const float* a, const float* b, size_t n) {
  __m512 s0 = _mm512_setzero_ps();
  __m512 s1 = s0;
  size_t i = 0;
  for (; i + 32 <= n; i += 32) {
    const __m512 d0 = _mm512_sub_ps(_mm512_loadu_ps(a + i), _mm512_loadu_ps(b + i));
    const __m512 d1 = _mm512_sub_ps(_mm512_loadu_ps(a + i + 16), _mm512_loadu_ps(b + i + 16));
    s0 = _mm512_fmadd_ps(d0, d0, s0);
    s1 = _mm512_fmadd_ps(d1, d1, s1);
  }
  for (; i < n; i += 16) {
    const size_t left = std::min<size_t>(16, n - i);
    const __m512 d = _mm512_sub_ps(load_tail(a + i, left), load_tail(b + i, left));
    s0 = _mm512_fmadd_ps(d, d, s0);
  }
  return sum_of(_mm512_add_ps(s0, s1));
}

#endif

template <RankFunction kDot>
float cosine_rank(const float* a, const float* b, size_t n) {
  return 1 - kDot(a, b, n);
}

template <RankFunction kDot>
float dot_rank(const float* a, const float* b, size_t n) {
  const float dot = kDot(a, b, n);
  if (!std::isfinite(dot)) [[unlikely]]
    return -wide_dot(a, b, n);
  return -dot;
}

template <RankFunction kSquare>
float euclidean_rank(const float* a, const float* b, size_t n) {
  const float square = kSquare(a, b, n);
  if (!std::isfinite(square)) [[unlikely]]
    return wide_square(a, b, n);
  return square;
}

template <RankFunction kDot, RankFunction kSquare>
RankFunction ranks(DistanceFunction function) {
  switch (function) {
    case DistanceFunction::kCosine:
      return cosine_rank<kDot>;
    case DistanceFunction::kDotProduct:
      return dot_rank<kDot>;
    case DistanceFunction::kEuclidean:
      return euclidean_rank<kSquare>;
  }
  return nullptr;
}

}  // namespace

double score(DistanceFunction function, std::span<const float> a, std::span<const float> b) {
  double value = 0;
  switch (function) {
    case DistanceFunction::kCosine:
      value = cosine_distance(a, b);
      break;
    case DistanceFunction::kDotProduct:
      value = products(a, b).ab;
      break;
    case DistanceFunction::kEuclidean:
      value = euclidean_distance(a, b);
      break;
  }
  return static_cast<float>(std::clamp(value, -kScoreMax, kScoreMax));
}

void prepare(DistanceFunction function, std::span<float> vector) {
  if (function != DistanceFunction::kCosine) return;
  double square = 0;
  for (const float x : vector) square += static_cast<double>(x) * x;
  if (square == 0) return;
  const double length = std::sqrt(square);
  for (float& x : vector) x = static_cast<float>(x / length);
}

std::string_view rank_instructions() {
#if defined(__x86_64__)
  static const bool kHasAvx512 = __builtin_cpu_supports("avx512f");
  static const bool kHasAvx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (kHasAvx512) return "avx512";
  if (kHasAvx2) return "avx2";
#endif
  return "plain";
}

RankFunction rank_function(DistanceFunction function, std::string_view instructions) {
#if defined(__x86_64__)
  if (instructions == "avx512") {
    return __builtin_cpu_supports("avx512f") ? ranks<avx512_dot, avx512_square>(function) : nullptr;
  }
  if (instructions == "avx2") {
    const bool has = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    return has ? ranks<avx2_dot, avx2_square>(function) : nullptr;
  }
#endif
  return instructions == "plain" ? ranks<plain_dot, plain_square>(function) : nullptr;
}

RankFunction rank_function(DistanceFunction function) { return rank_function(function, rank_instructions()); }

}  // namespace trestle
