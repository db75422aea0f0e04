// A digest of a set of items, independent of their order. It compares both sides of a copy without transferring items.
//
// Items are assigned to buckets by a hash of their key, the same on both sides; a bucket holds the number of its items
// and the sum of their hashes (128 bits of SHA-256, modulo 2^128). Equal buckets hold equal items, except with a
// probability of about 2^-100. Not thread-safe: each thread of a scan has its own digest, and they are added up.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <vector>

#include "model/value.h"

namespace trestle::copy {

class Digest {
 public:
  static constexpr size_t kBuckets = 4096;
  using Buckets = std::bitset<kBuckets>;

  Digest() : buckets_(kBuckets) {}

  static size_t bucket_of(ItemView key);
  void add(ItemView key, ItemView item);
  void add(const Digest& other);

  uint64_t count() const;
  // The buckets that differ.
  Buckets differing(const Digest& other) const;

 private:
  struct Bucket {
    uint64_t count = 0, high = 0, low = 0;
    void add(const Bucket& other) {
      count += other.count;
      low += other.low;
      high += other.high + (low < other.low ? 1 : 0);
    }
    friend bool operator==(const Bucket&, const Bucket&) = default;
  };
  std::vector<Bucket> buckets_;
};

}  // namespace trestle::copy
