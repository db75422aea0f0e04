#include "engine/jobs/pace.h"

#include <sys/resource.h>
#include <time.h>

#include <algorithm>

namespace trestle {
namespace {

// CPU use, in cores, from which the other threads count as fully busy. Writers that wait for the disk use little of a
// core.
constexpr double kBusyCores = 0.3;
// Shorter intervals are useless: the system counts CPU time in steps.
constexpr int64_t kLookUs = 2'000;

int64_t read_us(clockid_t clock) {
  timespec time;
  clock_gettime(clock, &time);
  return int64_t{time.tv_sec} * 1'000'000 + time.tv_nsec / 1'000;
}

}  // namespace

Pace::Pace(double factor_max) : factor_max_(factor_max) {
  // A third of another thread's share. Less would delay threads that wait for a lock held by this one.
  constexpr int kNice = 5;
  (void)setpriority(PRIO_PROCESS, 0, kNice);  // of this thread only, on Linux
}

Pace::Times Pace::now() {
  return {.wall_us = read_us(CLOCK_MONOTONIC),
          .program_us = read_us(CLOCK_PROCESS_CPUTIME_ID),
          .thread_us = read_us(CLOCK_THREAD_CPUTIME_ID)};
}

void Pace::begin() {
  began_ = now();
  if (looked_.wall_us == 0) looked_ = began_;
}

int64_t Pace::rest_us() {
  const Times ended = now();
  const int64_t wall_us = ended.wall_us - looked_.wall_us;
  if (wall_us >= kLookUs) {
    const int64_t others_us = (ended.program_us - looked_.program_us) - (ended.thread_us - looked_.thread_us);
    const double cores = static_cast<double>(others_us) / static_cast<double>(wall_us);
    // Quick to detect load, slow to forget it: a pause between two requests is not an idle machine.
    const double seen = std::clamp(cores / kBusyCores, 0.0, 1.0);
    busy_ = seen > busy_ ? seen : busy_ * 0.9 + seen * 0.1;
    looked_ = ended;
  }
  return static_cast<int64_t>(static_cast<double>(ended.wall_us - began_.wall_us) * factor_max_ * busy_);
}

}  // namespace trestle
