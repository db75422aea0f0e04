#include "copy/digest.h"

#include <cstring>

#include "base/sha256.h"

namespace trestle::copy {

size_t Digest::bucket_of(ItemView key) {
  const Sha256Digest hash = sha256(key.bytes());
  return (static_cast<size_t>(hash[0]) << 8 | hash[1]) % kBuckets;
}

void Digest::add(ItemView key, ItemView item) {
  const Sha256Digest hash = sha256(item.bytes());
  Bucket bucket{.count = 1};
  std::memcpy(&bucket.high, hash.data(), sizeof bucket.high);
  std::memcpy(&bucket.low, hash.data() + sizeof bucket.high, sizeof bucket.low);
  buckets_[bucket_of(key)].add(bucket);
}

void Digest::add(const Digest& other) {
  for (size_t i = 0; i < kBuckets; ++i) buckets_[i].add(other.buckets_[i]);
}

uint64_t Digest::count() const {
  uint64_t sum = 0;
  for (const Bucket& bucket : buckets_) sum += bucket.count;
  return sum;
}

Digest::Buckets Digest::differing(const Digest& other) const {
  Buckets buckets;
  for (size_t i = 0; i < kBuckets; ++i) buckets[i] = buckets_[i] != other.buckets_[i];
  return buckets;
}

}  // namespace trestle::copy
