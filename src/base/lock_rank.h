// Checks the order in which locks are taken, at run time, in builds with assertions and in builds with sanitizers. In
// other builds it compiles to nothing.
//
// A lock may have a rank. A thread that waits for a lock must hold none of a higher rank, and none of the same rank
// unless that is several(): such locks need an order of their own, which is not checked. Locks without a rank are
// ignored.
#pragma once

#include <array>
#include <cstdint>

#include "base/check.h"

namespace trestle {

using LockRank = uint8_t;
inline constexpr LockRank kNoRank = 0;
inline constexpr LockRank kRanks = 32;
// Of locks under which any other lock may be acquired.
inline constexpr LockRank kOutermostRank = 1;
// Of locks that are held for a short time, while no other lock is acquired.
inline constexpr LockRank kShortRank = kRanks - 1;
// A rank of which a thread may hold several locks at once.
inline constexpr LockRank several(LockRank rank) { return rank | 0x80; }

#if defined(NDEBUG) && !defined(TRESTLE_CHECKED)

struct LockOrder {
  explicit LockOrder(LockRank) {}
  void check() const {}
  void taken() const {}
  void released() const {}
};

#else

class LockOrder {
 public:
  explicit LockOrder(LockRank rank)
      : rank_(rank & ~several(0)), first_excluded_(rank == rank_ ? rank_ : static_cast<LockRank>(rank_ + 1)) {
    CHECK(rank_ < kRanks);
  }
  // Must be called before the thread may block on the lock.
  void check() const {
    if (rank_ == kNoRank) return;
    for (size_t excluded = first_excluded_; excluded < kRanks; ++excluded) CHECK(held()[excluded] == 0);
  }
  void taken() const {
    if (rank_ != kNoRank) ++held()[rank_];
  }
  void released() const {
    if (rank_ != kNoRank) --held()[rank_];
  }

 private:
  // The number of locks of each rank that this thread holds.
  static std::array<uint32_t, kRanks>& held() {
    thread_local std::array<uint32_t, kRanks> counts{};
    return counts;
  }
  const LockRank rank_;
  const LockRank first_excluded_;  // the lowest rank of which the thread may hold no lock
};

#endif

}  // namespace trestle
