// Background jobs, each on its own thread.
//
//   Jobs jobs;
//   Job& job = jobs.add({.name = "expiry", .interval_ms = 2'000}, [&](JobRun& run) { return sweep(run); });
//   ...              construct everything that the jobs use
//   jobs.start();    from here on they run
//   job.wake();      there is work
//   jobs.stop();     before anything that they use is destroyed
//
// A job is a function that runs one step: a short piece of work. The next start must be able to find unfinished work.
// The result of a step decides when the next one runs: after a pause, because live traffic has priority
// (engine/jobs/pace.h); when the job is woken or its interval has passed; or, after a failure, with exponential
// backoff. Steps of a job never overlap. Jobs and Job are thread-safe; add() must precede start().
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/mutex.h"
#include "engine/jobs/pace.h"
#include "storage/lock_ranks.h"

namespace trestle {

class Jobs;

struct JobOutcome {
  enum class Kind { kWorked, kIdle, kFailed, kLater } kind = Kind::kIdle;
  int64_t wait_us = 0;  // kLater

  static JobOutcome worked() { return {.kind = Kind::kWorked}; }
  static JobOutcome idle() { return {.kind = Kind::kIdle}; }
  static JobOutcome failed() { return {.kind = Kind::kFailed}; }
  static JobOutcome later(int64_t us) { return {.kind = Kind::kLater, .wait_us = us}; }
  bool has_worked() const { return kind == Kind::kWorked; }
};

// How long to wait after this many consecutive failures.
int64_t retry_pause_us(int failures);

struct JobOptions {
  std::string name;         // the thread's name; at most 15 characters
  int64_t interval_ms = 0;  // how often to run without being woken; 0: never
  bool threaded = true;     // false: runs only in drain() and wait_idle(), for tests
  double pause_factor_max = 4;
};

// A job that checks for work every `interval_ms`. With 0, it runs only in drain() and wait_idle(), for tests.
inline JobOptions periodic_job(std::string name, int64_t interval_ms, double pause_factor_max = 4) {
  return {.name = std::move(name),
          .interval_ms = interval_ms,
          .threaded = interval_ms > 0,
          .pause_factor_max = pause_factor_max};
}

class Job;

// A step in progress.
class JobRun {
 public:
  // For Job. `pace`: null if the step does not pause.
  JobRun(Job& job, Pace* pace) : job_(job), pace_(pace) {}
  bool stopping() const;
  // Whether steps pause; false in drain().
  bool is_paced() const { return pace_ != nullptr; }
  // Pauses between two pieces of work within a step, as after a step.
  void pause();
  // Whether clients are active; false in drain().
  bool is_busy() const;
  // Call it after a wait: excludes the time before from the work that determines the next pause.
  void begin_work();

 private:
  Job& job_;
  Pace* const pace_;
};

class Job {
 public:
  using Step = std::function<JobOutcome(JobRun&)>;
  Job(Jobs& jobs, JobOptions options, Step step);

  // Call it when there may be work.
  void wake();
  // Does all outstanding work on the calling thread, without pauses. Stops if a step fails. For tests and tools.
  void drain();
  // Waits until there is no more work. If the job has no thread, does the work on the calling thread.
  void wait_idle();

  // For Jobs: begins the job's thread, if it has one; ends its pause once stopping() is true; waits for its end.
  void start();
  void end_pause();
  void join();
  // For JobRun.
  bool stopping() const;
  // Waits until the time has passed, the job is stopped, or (if `wakeable`) the job is woken.
  void pause(int64_t us, bool wakeable) EXCLUDES(mutex_);

 private:
  void run();
  JobOutcome step(Pace* pace) EXCLUDES(step_mutex_);
  void wait_when_idle() EXCLUDES(mutex_);

  Jobs& jobs_;
  const JobOptions options_;
  const Step step_;

  Mutex step_mutex_{kJobStepRank};  // one step at a time; acquired before every other lock of the engine
  Mutex mutex_{kShortRank};
  ConditionVariable changed_;
  bool woken_ GUARDED_BY(mutex_) = false;
  bool is_idle_ GUARDED_BY(mutex_) = false;

  std::thread thread_;
};

class Jobs {
 public:
  Jobs() = default;
  ~Jobs() { stop(); }
  Job& add(JobOptions options, Job::Step step);
  // Throws std::system_error if the system has no more threads; some may have been started, which stop() ends.
  void start();
  // Ends every thread after its current step. Steps see stopping() and may return early.
  void stop();
  bool stopping() const { return stopping_.load(std::memory_order_relaxed); }
  PaceGroup& pace_group() { return pace_group_; }

 private:
  PaceGroup pace_group_;
  std::vector<std::unique_ptr<Job>> jobs_;
  bool started_ = false;
  std::atomic<bool> stopping_{false};
};

}  // namespace trestle
