// Finds the most frequent of very many keys in little memory: a space-saving sketch.
//
// It has at most `capacity` counters. A key without a counter takes over the smallest counter, so its count is too high
// by at most the previous value of that counter, which is reported as `error`. Hence a count is never too low, and
// every key with more than 1/capacity of all additions has a counter. Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace trestle {

class TopKeys {
 public:
  struct Entry {
    std::string key;
    uint64_t count = 0;
    uint64_t error = 0;  // the true count is at least count - error
  };

  explicit TopKeys(size_t capacity) : capacity_(capacity) {}

  void add(std::string_view key);
  // The number of additions.
  uint64_t total() const { return total_; }
  size_t size() const { return heap_.size(); }
  // The `count` entries with the largest counts, largest first; entries with equal counts in order of key.
  std::vector<Entry> top(size_t count) const;

 private:
  struct Hash {
    using is_transparent = void;
    size_t operator()(std::string_view key) const { return std::hash<std::string_view>()(key); }
  };
  // The position of each key's counter in the heap. Nodes of the map do not move, so the heap can point to them.
  using Places = std::unordered_map<std::string, size_t, Hash, std::equal_to<>>;
  struct Counter {
    Places::value_type* place;
    uint64_t count;
    uint64_t error;
  };

  void sift_down(size_t at);
  void sift_up(size_t at);
  void swap(size_t a, size_t b);

  size_t capacity_;
  uint64_t total_ = 0;
  Places places_;
  std::vector<Counter> heap_;  // the smallest count on top
};

}  // namespace trestle
