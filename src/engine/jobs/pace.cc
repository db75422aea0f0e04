#include "engine/jobs/pace.h"

#include <pthread.h>
#include <sys/resource.h>

#include <algorithm>

namespace trestle {
namespace {

// CPU use, in cores, at which the other threads count as fully busy. It is well below one core, because writers that
// wait for the disk use little CPU time.
constexpr double kBusyCores = 0.3;
// The minimum interval between samples. Shorter ones are too inaccurate, because the system counts CPU time in steps.
constexpr int64_t kSampleUs = 2'000;

int64_t read_us(clockid_t clock) {
  timespec time;
  clock_gettime(clock, &time);
  return int64_t{time.tv_sec} * 1'000'000 + time.tv_nsec / 1'000;
}

clockid_t clock_of_this_thread() {
  clockid_t clock = CLOCK_THREAD_CPUTIME_ID;
  (void)pthread_getcpuclockid(pthread_self(), &clock);
  return clock;
}

}  // namespace

void PaceGroup::add(clockid_t thread) {
  MutexLock lock(mutex_);
  threads_.push_back(thread);
}

void PaceGroup::remove(clockid_t thread) {
  MutexLock lock(mutex_);
  ended_us_ += read_us(thread);
  std::erase(threads_, thread);
}

int64_t PaceGroup::used_us() {
  MutexLock lock(mutex_);
  int64_t used_us = ended_us_;
  for (const clockid_t thread : threads_) used_us += read_us(thread);
  return used_us;
}

int64_t PaceGroup::reserve_us(int64_t now_us, int64_t pause_us) {
  if (pause_us <= 0) return 0;
  MutexLock lock(mutex_);
  reserved_until_us_ = std::max(reserved_until_us_, now_us) + pause_us;
  return reserved_until_us_ - now_us;
}

Pace::Pace(PaceGroup& group, double factor_max) : group_(group), factor_max_(factor_max) {
  group_.add(clock_of_this_thread());
  // Gives this thread a third of another thread's share. A smaller share would delay threads that wait for its locks.
  constexpr int kNice = 5;
  (void)setpriority(PRIO_PROCESS, 0, kNice);  // on Linux this affects the calling thread only
}

Pace::~Pace() { group_.remove(clock_of_this_thread()); }

Pace::Times Pace::now() {
  return {.wall_us = read_us(CLOCK_MONOTONIC),
          .program_us = read_us(CLOCK_PROCESS_CPUTIME_ID),
          .group_us = group_.used_us()};
}

void Pace::begin() {
  began_ = now();
  if (sampled_.wall_us == 0) sampled_ = began_;
}

int64_t Pace::pause_us() {
  const Times ended = now();
  const int64_t wall_us = ended.wall_us - sampled_.wall_us;
  if (wall_us >= kSampleUs) {
    const int64_t others_us = (ended.program_us - sampled_.program_us) - (ended.group_us - sampled_.group_us);
    const double cores = static_cast<double>(others_us) / static_cast<double>(wall_us);
    // Rises at once and decays slowly, because a pause between two requests does not mean that the machine is idle.
    const double sample = std::clamp(cores / kBusyCores, 0.0, 1.0);
    busy_ = sample > busy_ ? sample : busy_ * 0.9 + sample * 0.1;
    sampled_ = ended;
  }
  const double pause_us = static_cast<double>(ended.wall_us - began_.wall_us) * factor_max_ * busy_;
  return group_.reserve_us(ended.wall_us, std::min(static_cast<int64_t>(pause_us), kPauseMaxUs));
}

}  // namespace trestle
