#include "base/start_threads.h"

#include <gtest/gtest.h>

#include <atomic>
#include <optional>

#include "base/no_threads_for_test.h"

namespace trestle {
namespace {

TEST(StartThreads, if_one_cannot_be_started_the_others_are_stopped_and_joined) {
  std::optional<NoThreads> none;
  std::atomic<int> begun{0};
  std::atomic<int> ended{0};
  std::atomic<bool> stops{false};
  const auto run = [&](size_t) {
    ++begun;
    while (!stops) std::this_thread::yield();
    ++ended;
  };
  std::vector<std::thread> threads;
  start_threads(threads, 2, run, [] {});
  none.emplace();
  EXPECT_THROW(start_threads(threads, 1, run, [&] { stops = true; }), std::system_error);
  EXPECT_EQ(begun, 2);
  EXPECT_EQ(ended, 2);
  EXPECT_TRUE(threads.empty());
}

}  // namespace
}  // namespace trestle
