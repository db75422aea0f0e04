#include "engine/jobs/jobs.h"

#include <pthread.h>

#include <algorithm>
#include <chrono>

#include "base/check.h"
#include "base/steady_us.h"
#include "base/test_point.h"
#include "engine/jobs/pace.h"

namespace trestle {

int64_t retry_pause_us(int failures) {
  constexpr int64_t kFirstUs = 50'000;
  constexpr int64_t kLongestUs = 5'000'000;
  return std::min(kFirstUs << std::min(failures - 1, 10), kLongestUs);
}

bool JobRun::stopping() const { return job_.stopping(); }

void JobRun::pause() {
  if (pace_ == nullptr) return;
  job_.pause(pace_->pause_us(), false);
  pace_->begin();
}

bool JobRun::is_busy() const { return pace_ != nullptr && pace_->is_busy(); }

void JobRun::begin_work() {
  if (pace_ != nullptr) pace_->begin();
}

Job::Job(Jobs& jobs, JobOptions options, Step step)
    : jobs_(jobs), options_(std::move(options)), step_(std::move(step)) {}

void Job::start() {
  if (options_.threaded) thread_ = std::thread([this] { run(); });
}

void Job::end_pause() {
  MutexLock lock(mutex_);
  changed_.notify_all();
}

void Job::join() {
  if (thread_.joinable()) thread_.join();
}

bool Job::stopping() const { return jobs_.stopping(); }

void Job::wake() {
  MutexLock lock(mutex_);
  woken_ = true;
  is_idle_ = false;
  changed_.notify_all();
}

JobOutcome Job::step(Pace* pace) {
  TRESTLE_TEST_POINT("job.step");
  MutexLock lock(step_mutex_);
  JobRun run(*this, pace);
  if (pace != nullptr) pace->begin();
  return step_(run);
}

void Job::drain() {
  while (!stopping() && step(nullptr).has_worked()) continue;
}

void Job::wait_idle() {
  if (!options_.threaded) return drain();
  MutexLock lock(mutex_);
  while (!is_idle_ && !stopping()) changed_.wait(mutex_);
}

void Job::pause(int64_t us, bool wakeable) {
  const int64_t until_us = steady_us() + us;
  MutexLock lock(mutex_);
  for (;;) {
    const int64_t left_us = until_us - steady_us();
    if (left_us <= 0 || stopping() || (wakeable && woken_)) return;
    changed_.wait_for(mutex_, std::chrono::microseconds(left_us));
  }
}

void Job::wait_when_idle() {
  {
    MutexLock lock(mutex_);
    if (woken_) return;
    is_idle_ = true;
    changed_.notify_all();
    if (options_.interval_ms == 0) {
      while (!woken_ && !stopping()) changed_.wait(mutex_);
      return;
    }
  }
  pause(options_.interval_ms * 1000, true);
}

void Job::run() {
  pthread_setname_np(pthread_self(), options_.name.c_str());
  Pace pace(jobs_.pace_group(), options_.pause_factor_max);
  int failures = 0;
  while (!stopping()) {
    {
      MutexLock lock(mutex_);
      woken_ = false;
      is_idle_ = false;
    }
    const JobOutcome outcome = step(&pace);
    failures = outcome.kind == JobOutcome::Kind::kFailed ? failures + 1 : 0;
    switch (outcome.kind) {
      case JobOutcome::Kind::kWorked:
        pause(pace.pause_us(), false);
        break;
      case JobOutcome::Kind::kIdle:
        wait_when_idle();
        break;
      case JobOutcome::Kind::kFailed:
        pause(retry_pause_us(failures), false);
        break;
      case JobOutcome::Kind::kLater:
        pause(outcome.wait_us, true);
        break;
    }
  }
}

Job& Jobs::add(JobOptions options, Job::Step step) {
  CHECK(!started_ && options.name.size() <= 15);
  jobs_.push_back(std::make_unique<Job>(*this, std::move(options), std::move(step)));
  return *jobs_.back();
}

void Jobs::start() {
  CHECK(!started_);
  started_ = true;
  for (const auto& job : jobs_) job->start();
}

void Jobs::stop() {
  stopping_.store(true, std::memory_order_relaxed);
  for (const auto& job : jobs_) job->end_pause();
  for (const auto& job : jobs_) job->join();
}

}  // namespace trestle
