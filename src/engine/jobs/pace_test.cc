#include "engine/jobs/pace.h"

#include <gtest/gtest.h>
#include <time.h>

#include <atomic>
#include <functional>
#include <thread>

namespace trestle {
namespace {

constexpr int64_t kWorkUs = 20'000;

int64_t read_us(clockid_t clock) {
  timespec time;
  clock_gettime(clock, &time);
  return int64_t{time.tv_sec} * 1'000'000 + time.tv_nsec / 1'000;
}

struct Worked {
  int64_t us = 0;
  int64_t pause_us = 0;
};

// Works until `is_enough` returns true, on a separate thread, because Pace lowers the thread's priority.
Worked work_until(const std::function<bool()>& is_enough, double factor_max = 4) {
  Worked worked;
  std::thread([&] {
    PaceGroup group;
    Pace pace(group, factor_max);
    const int64_t began_us = read_us(CLOCK_MONOTONIC);
    pace.begin();
    while (!is_enough()) continue;
    worked.pause_us = pace.pause_us();
    worked.us = read_us(CLOCK_MONOTONIC) - began_us;
  }).join();
  return worked;
}

TEST(Pace, it_does_not_rest_while_other_threads_are_idle) {
  const int64_t began_us = read_us(CLOCK_MONOTONIC);
  const Worked alone = work_until([&] { return read_us(CLOCK_MONOTONIC) - began_us > kWorkUs; });
  EXPECT_LT(alone.pause_us, alone.us / 2);
}

TEST(Pace, it_rests_while_other_threads_work_but_not_forever) {
  std::atomic<bool> stop = false;
  std::atomic<int64_t> other_us = 0;  // CPU time
  std::thread other([&] {
    while (!stop) other_us = read_us(CLOCK_THREAD_CPUTIME_ID);
  });
  std::atomic<int64_t> before_us = -1;
  const Worked beside = work_until([&] {
    if (before_us < 0) before_us = other_us.load();
    return other_us - before_us > kWorkUs;
  });
  stop = true;
  other.join();
  EXPECT_GT(beside.pause_us, 2 * kWorkUs);
  EXPECT_LE(beside.pause_us, 4 * beside.us);
}

TEST(Pace, a_rest_is_bounded_however_long_the_work_took) {
  constexpr double kFactor = 1000;  // as if the work had taken 250 times as long
  std::atomic<bool> stop = false;
  std::atomic<int64_t> other_us = 0;  // CPU time
  std::thread other([&] {
    while (!stop) other_us = read_us(CLOCK_THREAD_CPUTIME_ID);
  });
  std::atomic<int64_t> before_us = -1;
  const Worked beside = work_until(
      [&] {
        if (before_us < 0) before_us = other_us.load();
        return other_us - before_us > kWorkUs;
      },
      kFactor);
  stop = true;
  other.join();
  EXPECT_GT(beside.pause_us, 0);
  EXPECT_LE(beside.pause_us, Pace::kPauseMaxUs);
}

TEST(Pace, threads_of_its_group_do_not_count_as_load) {
  PaceGroup group;
  std::atomic<bool> in_group = false;
  std::atomic<bool> stop = false;
  std::thread other([&] {
    Pace pace(group, 4);
    in_group = true;
    while (!stop) continue;
  });
  while (!in_group) std::this_thread::yield();
  Pace pace(group, 4);
  const int64_t began_us = read_us(CLOCK_MONOTONIC);
  pace.begin();
  while (read_us(CLOCK_MONOTONIC) - began_us < kWorkUs) continue;
  const int64_t pause_us = pace.pause_us();
  const int64_t worked_us = read_us(CLOCK_MONOTONIC) - began_us;
  stop = true;
  other.join();
  EXPECT_LT(pause_us, worked_us / 2);
}

// When two threads need a pause at the same time, the pauses are added up.
TEST(Pace, threads_of_a_group_rest_one_after_another) {
  std::atomic<bool> stop = false;
  std::atomic<int64_t> load_us = 0;  // CPU time, so that other programs on the machine do not matter
  std::thread load([&] {
    while (!stop) load_us = read_us(CLOCK_THREAD_CPUTIME_ID);
  });
  PaceGroup group;
  const auto work_and_rest = [&] {
    Worked worked;
    std::thread([&] {
      Pace pace(group, 4);
      const int64_t began_us = read_us(CLOCK_MONOTONIC);
      pace.begin();
      const int64_t before_us = load_us;
      while (load_us - before_us < kWorkUs) continue;
      worked.pause_us = pace.pause_us();
      worked.us = read_us(CLOCK_MONOTONIC) - began_us;
    }).join();
    return worked;
  };
  const Worked first = work_and_rest();
  const Worked second = work_and_rest();
  stop = true;
  load.join();
  ASSERT_GT(first.pause_us, kWorkUs);  // far longer than the second works
  EXPECT_GT(second.pause_us + second.us, first.pause_us + kWorkUs);
}

}  // namespace
}  // namespace trestle
