// The order in which locks are taken, checked at run time in builds with assertions and in those with
// sanitizers; others have none of it.
//
// A lock may have a rank. A thread that waits for it must hold none of a higher rank; several of the same rank are the
// caller's business (they need an order of their own). Locks without a rank are not looked at.
#pragma once

#include <array>
#include <cstdint>

#include "base/check.h"

namespace trestle {

using LockRank = uint8_t;
inline constexpr LockRank kNoRank = 0;
inline constexpr LockRank kRanks = 16;

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
  explicit LockOrder(LockRank rank) : rank_(rank) { CHECK(rank < kRanks); }
  // Before a thread may have to wait for the lock.
  void check() const {
    if (rank_ == kNoRank) return;
    for (size_t higher = rank_ + size_t{1}; higher < kRanks; ++higher) CHECK(held()[higher] == 0);
  }
  void taken() const {
    if (rank_ != kNoRank) ++held()[rank_];
  }
  void released() const {
    if (rank_ != kNoRank) --held()[rank_];
  }

 private:
  // How many locks of each rank this thread holds.
  static std::array<uint32_t, kRanks>& held() {
    thread_local std::array<uint32_t, kRanks> counts{};
    return counts;
  }
  const LockRank rank_;
};

#endif

}  // namespace trestle
