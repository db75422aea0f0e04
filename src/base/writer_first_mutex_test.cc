#include "base/writer_first_mutex.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <shared_mutex>
#include <thread>
#include <vector>

#include "base/steady_us.h"

namespace trestle {
namespace {

// Threads that lock it shared again and again, each until another one has locked it too, so that there is always a
// holder.
class OverlappingHolders {
 public:
  static constexpr int kThreads = 6;
  static constexpr int kHoldsMax = 3000;  // then they end, in case the exclusive locker never gets the lock

  explicit OverlappingHolders(WriterFirstMutex& mutex) : mutex_(mutex) {
    for (int i = 0; i < kThreads; ++i) threads_.emplace_back([this] { hold(); });
  }
  ~OverlappingHolders() {
    stop_ = true;
    for (auto& thread : threads_) thread.join();
  }
  OverlappingHolders(const OverlappingHolders&) = delete;
  OverlappingHolders& operator=(const OverlappingHolders&) = delete;

  int begun() const { return begun_; }

 private:
  void hold() {
    while (!stop_ && begun_ < kHoldsMax) {
      const std::shared_lock lock(mutex_);
      const int mine = ++begun_;
      const int64_t until_us = steady_us() + 2'000;
      while (begun_ == mine && steady_us() < until_us && !stop_) std::this_thread::yield();
    }
  }

  WriterFirstMutex& mutex_;
  std::atomic<bool> stop_{false};
  std::atomic<int> begun_{0};
  std::vector<std::thread> threads_;
};

TEST(WriterFirstMutex, an_exclusive_lock_is_acquired_as_soon_as_the_present_holders_have_released_theirs) {
  WriterFirstMutex mutex(kNoRank);
  int least = OverlappingHolders::kHoldsMax;
  for (int attempt = 0; attempt < 5; ++attempt) {
    OverlappingHolders holders(mutex);
    while (holders.begun() < OverlappingHolders::kThreads * 2) std::this_thread::yield();
    const int before = holders.begun();
    mutex.lock();
    least = std::min(least, holders.begun() - before);
    mutex.unlock();
  }
  // Some may begin before this thread waits for the lock.
  EXPECT_LE(least, OverlappingHolders::kThreads * 4);
}

TEST(WriterFirstMutex, trying_fails_while_an_exclusive_locker_waits) {
  WriterFirstMutex mutex(kNoRank);
  std::shared_lock held(mutex);
  std::thread writer([&] { const std::unique_lock lock(mutex); });
  bool has_failed = false;
  std::thread reader([&] {
    const int64_t until_us = steady_us() + 30'000'000;  // trying succeeds until the writer waits
    while (!has_failed && steady_us() < until_us) {
      const std::shared_lock lock(mutex, std::try_to_lock);
      has_failed = !lock.owns_lock();
    }
  });
  reader.join();
  EXPECT_TRUE(has_failed);
  held.unlock();
  writer.join();
  EXPECT_TRUE(std::shared_lock(mutex, std::try_to_lock).owns_lock());
}

#if !defined(NDEBUG) || defined(TRESTLE_CHECKED)
TEST(WriterFirstMutexDeathTest, a_thread_does_not_lock_it_twice) {
  WriterFirstMutex mutex(kNoRank);
  const std::shared_lock lock(mutex);
  EXPECT_DEATH(std::shared_lock(mutex).release(), "");
  EXPECT_DEATH(std::shared_lock(mutex, std::try_to_lock).release(), "");
}
#endif

}  // namespace
}  // namespace trestle
