// For tests and measurements: random vectors that resemble the embeddings of language and image models. They are
// scattered around topics, and vary in fewer directions than they have dimensions. The same seed yields the same
// vectors.
#pragma once

#include <random>
#include <vector>

namespace trestle {

class RandomVectors {
 public:
  static constexpr size_t kDirections = 32;  // in which vectors vary
  static constexpr size_t kTopics = 200;

  RandomVectors(size_t dimensions, uint64_t seed) : dimensions_(dimensions), random_(seed) {
    directions_.resize(kDirections * dimensions);
    for (float& x : directions_) x = normal_(random_);
    topics_.resize(kTopics * kDirections);
    for (float& x : topics_) x = normal_(random_);
  }

  std::vector<float> next() {
    const float* topic = topics_.data() + random_() % kTopics * kDirections;
    std::vector<float> vector(dimensions_);
    for (float& x : vector) x = 0.3f * normal_(random_);  // noise in every direction
    for (size_t i = 0; i < kDirections; ++i) {
      const float amount = topic[i] + 0.7f * normal_(random_);
      for (size_t j = 0; j < dimensions_; ++j) vector[j] += amount * directions_[i * dimensions_ + j];
    }
    return vector;
  }
  // A vector without structure (no direction is preferred), the hardest case for an approximate index.
  std::vector<float> next_shapeless() {
    std::vector<float> vector(dimensions_);
    for (float& x : vector) x = normal_(random_);
    return vector;
  }
  uint64_t below(uint64_t n) { return random_() % n; }

 private:
  const size_t dimensions_;
  std::mt19937_64 random_;
  std::normal_distribution<float> normal_{0, 1};
  std::vector<float> directions_;
  std::vector<float> topics_;
};

}  // namespace trestle
