// Locks on items. A write holds its item's lock from reading the old item to the commit, so that writes to an item are
// serialized. Locks are never held across a sync.
//
// The locks are a fixed table of stripes; two items may share one. Several locks are acquired in one call, in the order
// of the stripes, so that callers cannot deadlock.
//
// A holder may read its items from the disk, or write many of them. A thread that must not wait
// (storage/cached_reads.h) therefore waits for a lock only for a moment: then it has missed. Until another thread has
// acquired the lock, later threads that must not wait miss at once, so that their waits do not add up on an event loop.
//
// A stripe caches the item that was last written under it, if it is small, so that the next write of the same item need
// not read it. This matters because searching a write buffer is slowest for items that are often rewritten. Every lock
// other than a Single clears the cached item.
#pragma once

#include <array>
#include <atomic>
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
  // Limit on the size of the cached key and item together.
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
    // Returns false if the thread must not wait and has missed.
    bool lock();

    // Call it while the lock is held. Returns the current item (empty if it was erased), or nothing if the item is not
    // cached. The view is valid until remember().
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

  // Keys are encoded keys.
  std::unique_lock<Mutex> lock(std::string_view key);
  // Does not wait: if another thread holds the lock, owns_lock() is false.
  Single try_lock(std::string_view key);
  // The guard of a thread that must not wait and has missed is empty. It has had no effect, and can have none, because
  // its reads and commits fail.
  Guard lock_all(std::span<const std::string> keys);

 private:
  static constexpr size_t kStripes = 4096;
  struct Stripe {
    Mutex mutex{kItemRank};
    // The key followed by the item. key_size 0: nothing is cached.
    size_t key_size = 0;
    std::string key_and_item;
    // A thread has waited for the present holder as long as it may. The flag only saves time, so its order relative to
    // the lock does not matter.
    std::atomic<bool> is_held_long = false;

    void note_held() {
      if (is_held_long.load(std::memory_order_relaxed)) is_held_long.store(false, std::memory_order_relaxed);
    }
  };

  static size_t stripe_of(std::string_view key);
  // Locks the stripe, and clears its cached item.
  static std::unique_lock<Mutex> lock(Stripe& stripe);
  // Returns false if the thread must not wait and has missed. Waits for a moment only if `patient`; clears it then.
  static bool lock_or_miss(Stripe& stripe, std::unique_lock<Mutex>& lock, bool& patient);

  std::array<Stripe, kStripes> stripes_;
};

}  // namespace trestle
