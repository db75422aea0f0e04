// Locks on items: a write holds its item's lock from reading the old item to the commit, so that writes to an item are
// serialized. Never held across a sync.
//
// The locks are a fixed table of stripes; two items may share one. Several at once are taken in one call, in the order
// of the stripes, so that two callers cannot wait for each other.
//
// A stripe remembers the item that was last written under it, if it is small: the next write of the same item need not
// read it, which matters because searching a write buffer is slowest for items that are often rewritten. Every lock
// other than a Single clears the remembered item.
#pragma once

#include <array>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/mutex.h"
#include "storage/lock_ranks.h"

namespace trestle {

class ItemLocks {
  struct Stripe;

 public:
  // Limit of the remembered key and item together.
  static constexpr size_t kRememberedBytesMax = 1024;

  // Holds its locks until it is destroyed.
  class Guard {
   public:
    Guard() = default;
    Guard(Guard&&) = default;
    Guard& operator=(Guard&&) = default;

   private:
    friend class ItemLocks;
    std::vector<std::unique_lock<Mutex>> locks_;
  };

  // The lock of a single item.
  class Single {
   public:
    bool owns_lock() const { return lock_.owns_lock(); }
    void lock() { lock_.lock(); }

    // While the lock is held: the item as its last writer left it, empty if it erased it. Nothing: it is not
    // remembered. Good until remember().
    std::optional<std::string_view> remembered(std::string_view key) const;
    // Call before the item changes: if its commit fails, its contents are unknown.
    void forget();
    // Call after the item has changed. `item` must not be the view returned by remembered().
    void remember(std::string_view key, std::string_view item);

   private:
    friend class ItemLocks;
    explicit Single(Stripe& stripe);
    Stripe* stripe_;
    std::unique_lock<Mutex> lock_;
  };

  // By encoded key.
  std::unique_lock<Mutex> lock(std::string_view key);
  // Owns nothing if another holds it now.
  Single try_lock(std::string_view key);
  Guard lock_all(std::span<const std::string> keys);

 private:
  static constexpr size_t kStripes = 4096;
  struct Stripe {
    Mutex mutex{kItemRank};
    // The key, and after it the item. No key: nothing is remembered.
    size_t key_size = 0;
    std::string key_and_item;
  };

  static size_t stripe_of(std::string_view key);
  // Locks, and forgets.
  static std::unique_lock<Mutex> lock(Stripe& stripe);

  std::array<Stripe, kStripes> stripes_;
};

}  // namespace trestle
