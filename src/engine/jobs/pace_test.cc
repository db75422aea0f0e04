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
  int64_t rest_us = 0;
};

// Works until `is_enough` says so, on a thread of its own, whose priority a Pace lowers.
Worked work_until(const std::function<bool()>& is_enough) {
  Worked worked;
  std::thread([&] {
    Pace pace(4);
    const int64_t began_us = read_us(CLOCK_MONOTONIC);
    pace.begin();
    while (!is_enough()) continue;
    worked.rest_us = pace.rest_us();
    worked.us = read_us(CLOCK_MONOTONIC) - began_us;
  }).join();
  return worked;
}

TEST(Pace, it_does_not_rest_while_other_threads_are_idle) {
  const int64_t began_us = read_us(CLOCK_MONOTONIC);
  const Worked alone = work_until([&] { return read_us(CLOCK_MONOTONIC) - began_us > kWorkUs; });
  EXPECT_LT(alone.rest_us, alone.us / 2);
}

TEST(Pace, it_rests_while_others_work_and_not_for_ever) {
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
  EXPECT_GT(beside.rest_us, 2 * kWorkUs);
  EXPECT_LE(beside.rest_us, 4 * beside.us);
}

}  // namespace
}  // namespace trestle
