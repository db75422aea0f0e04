#include "engine/items/item_lock.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "storage/cached_reads.h"

namespace trestle {
namespace {

class ItemLocksTest : public ::testing::Test {
 protected:
  void write(std::string_view key, std::string_view item) {
    auto lock = locks_->try_lock(key);
    ASSERT_TRUE(lock.owns_lock());
    lock.forget();
    lock.remember(key, item);
  }
  std::optional<std::string> remembered(std::string_view key) {
    const auto item = locks_->try_lock(key).remembered(key);
    return item ? std::optional(std::string(*item)) : std::nullopt;
  }

  const std::unique_ptr<ItemLocks> locks_ = std::make_unique<ItemLocks>();
};

TEST_F(ItemLocksTest, OneWriterAtATime) {
  const auto first = locks_->try_lock("key");
  EXPECT_TRUE(first.owns_lock());
  EXPECT_FALSE(locks_->try_lock("key").owns_lock());
}

TEST_F(ItemLocksTest, CachesTheLastWrittenItem) {
  EXPECT_EQ(remembered("key"), std::nullopt);
  write("key", "item");
  EXPECT_EQ(remembered("key"), "item");
  write("key", "other");
  EXPECT_EQ(remembered("key"), "other");
  write("key", "");  // erased
  EXPECT_EQ(remembered("key"), "");
}

TEST_F(ItemLocksTest, DoesNotReturnTheItemOfAnotherKey) {
  write("key", "item");
  for (int i = 0; i < 100'000; ++i) ASSERT_EQ(remembered("key" + std::to_string(i)), std::nullopt) << i;
}

TEST_F(ItemLocksTest, LargeItemsAreNotCached) {
  write("key", "item");
  write("key", std::string(ItemLocks::kRememberedBytesMax, 'x'));
  EXPECT_EQ(remembered("key"), std::nullopt);
  write("key", std::string(ItemLocks::kRememberedBytesMax - 3, 'x'));
  EXPECT_EQ(remembered("key"), std::string(ItemLocks::kRememberedBytesMax - 3, 'x'));
}

TEST_F(ItemLocksTest, AFailedWriteClearsTheCachedItem) {
  write("key", "item");
  locks_->try_lock("key").forget();
  EXPECT_EQ(remembered("key"), std::nullopt);
}

TEST_F(ItemLocksTest, OtherLocksClearTheCachedItem) {
  write("key", "item");
  {
    const auto lock = locks_->lock("key");
  }
  EXPECT_EQ(remembered("key"), std::nullopt);

  write("key", "item");
  const std::vector<std::string> keys{"some", "key"};
  {
    const auto guard = locks_->lock_all(keys);
  }
  EXPECT_EQ(remembered("key"), std::nullopt);
}

TEST_F(ItemLocksTest, AThreadThatMustNotWaitMisses) {
  const std::vector<std::string> keys{"a", "b", "c"};
  const auto held = locks_->lock_all(std::span(keys).subspan(1, 1));
  std::thread([&] {
    {
      const CachedReads reads;
      auto lock = locks_->try_lock("b");
      EXPECT_FALSE(lock.owns_lock());
      EXPECT_FALSE(lock.lock());
      EXPECT_TRUE(CachedReads::missed_lock());
    }
    const CachedReads reads;
    const auto some = locks_->lock_all(keys);
    EXPECT_TRUE(CachedReads::missed_lock());
    EXPECT_TRUE(locks_->try_lock("a").owns_lock()) << "an empty guard holds nothing";
  }).join();
}

TEST_F(ItemLocksTest, AThreadThatMustNotWaitIsPatientForAMoment) {
  std::atomic<bool> is_held = false;
  std::thread holder([&] {
    const auto held = locks_->try_lock("a");
    is_held = true;
    std::this_thread::yield();
  });
  while (!is_held) std::this_thread::yield();
  // The lock is free now, or the holder is about to release it. On a busy machine that may take longer than a moment.
  const CachedReads reads;
  auto lock = locks_->try_lock("a");
  EXPECT_NE(lock.owns_lock() || lock.lock(), CachedReads::missed());
  holder.join();
}

TEST_F(ItemLocksTest, ManyThreadsThatMustNotWaitTogetherWaitForOneMoment) {
  auto least = std::chrono::steady_clock::duration::max();
  for (int attempt = 0; attempt < 5; ++attempt) {  // the machine may be busy
    const auto held = locks_->lock("a");
    const auto begin = std::chrono::steady_clock::now();
    std::thread([&] {
      for (int i = 0; i < 100; ++i) {
        const CachedReads reads;
        auto lock = locks_->try_lock("a");
        EXPECT_FALSE(lock.owns_lock() || lock.lock());
        EXPECT_TRUE(CachedReads::missed_lock());
      }
    }).join();
    least = std::min(least, std::chrono::steady_clock::now() - begin);
  }
  EXPECT_LT(least, std::chrono::milliseconds(100));
  const CachedReads reads;
  EXPECT_TRUE(locks_->try_lock("a").owns_lock());
}

}  // namespace
}  // namespace trestle
