// Locks on items: a write holds its item's lock from reading the old item to the commit, so that writes to one item come
// one after another. Never held across a sync.
//
// The locks are a fixed table of stripes; two items may share one. Several at once are taken in one call, in the order
// of the stripes, so that two callers cannot wait for each other.
#pragma once

#include <array>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace trestle {

class ItemLocks {
 public:
  // Holds what it locked until it dies.
  class Guard {
   public:
    Guard() = default;
    Guard(Guard&&) = default;
    Guard& operator=(Guard&&) = default;

   private:
    friend class ItemLocks;
    std::vector<std::unique_lock<std::mutex>> locks_;
  };

  // By encoded key.
  std::unique_lock<std::mutex> lock(std::string_view key);
  // Owns nothing if another holds it now.
  std::unique_lock<std::mutex> try_lock(std::string_view key);
  Guard lock_all(std::span<const std::string> keys);

 private:
  static constexpr size_t kStripes = 4096;
  static size_t stripe(std::string_view key);
  std::array<std::mutex, kStripes> mutexes_;
};

}  // namespace trestle
