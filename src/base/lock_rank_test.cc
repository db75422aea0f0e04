#include "base/lock_rank.h"

#include <gtest/gtest.h>

#include "base/mutex.h"

namespace trestle {
namespace {

TEST(LockRank, locks_are_taken_in_the_order_of_their_ranks) {
  Mutex first(1);
  Mutex second(several(2));
  Mutex second_too(several(2));
  Mutex unranked;
  MutexLock a(first);
  MutexLock b(second);
  MutexLock c(second_too);
  MutexLock d(unranked);
}

#if !defined(NDEBUG) || defined(TRESTLE_CHECKED)
TEST(LockRankDeathTest, a_lower_rank_is_not_taken_while_a_higher_one_is_held) {
  const auto wrong_way_round = [] {
    Mutex first(1);
    Mutex second(2);
    MutexLock b(second);
    MutexLock a(first);
  };
  EXPECT_DEATH(wrong_way_round(), "");
  const auto shared_too = [] {
    SharedMutex first(1);
    SharedMutex second(2);
    second.lock_shared();
    first.lock_shared();
    first.unlock_shared();
    second.unlock_shared();
  };
  EXPECT_DEATH(shared_too(), "");
}

TEST(LockRankDeathTest, only_locks_of_a_rank_of_several_are_held_together) {
  const auto twice = [](LockRank rank) {
    Mutex first(rank);
    Mutex second(rank);
    MutexLock a(first);
    MutexLock b(second);
  };
  EXPECT_DEATH(twice(2), "");
  EXPECT_DEATH(twice(kShortRank), "");
  twice(several(2));
  const auto under_a_higher_one = [] {
    Mutex first(several(1));
    Mutex second(several(2));
    MutexLock b(second);
    MutexLock a(first);
  };
  EXPECT_DEATH(under_a_higher_one(), "");
}
#endif

TEST(LockRank, trying_never_waits_and_so_may_be_in_any_order) {
  Mutex first(1);
  Mutex second(2);
  MutexLock b(second);
  if (first.try_lock()) first.unlock();
}

}  // namespace
}  // namespace trestle
