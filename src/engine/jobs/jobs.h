// Background jobs, each on its own thread.
//
//   Jobs jobs;
//   Job& job = jobs.add({.name = "expiry", .interval_ms = 2'000}, [&](JobRun& run) { return sweep(run); });
//   ...              construct everything that the jobs use
//   jobs.start();    from here on they run
//   job.wake();      there is something to do
//   jobs.stop();     before anything that they use is destroyed
//
// A job is a function that does a step: a short piece of work whose remainder a restart would find again. Its result
// decides when the next step runs: after a rest, because live traffic has priority (engine/jobs/pace.h); when the job
// is woken or its interval has passed; or, after a disk error, after an exponential backoff. Steps of a job never
// overlap. Jobs and Job are thread-safe; add() must precede start().
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

// How long to wait after so many failures in a row.
int64_t retry_pause_us(int failures);

struct JobOptions {
  std::string name;         // of its thread; at most 15 characters
  int64_t interval_ms = 0;  // how often to look without being woken; 0: never
  bool threaded = true;     // false: it runs in drain() alone, for tests
  double rest_factor_max = 4;
};

class Job;

// A step in progress.
class JobRun {
 public:
  bool stopping() const;
  // Whether steps rest; not in drain().
  bool is_paced() const { return pace_ != nullptr; }
  // Between two pieces of work within a step: rests as after a step.
  void rest();
  // Whether clients are active; not in drain().
  bool is_busy() const;
  // After a wait: the work from which the next rest is computed begins here.
  void begin_work();

 private:
  friend class Job;
  JobRun(Job& job, Pace* pace) : job_(job), pace_(pace) {}
  Job& job_;
  Pace* const pace_;  // null: without rests
};

class Job {
 public:
  using Step = std::function<JobOutcome(JobRun&)>;
  Job(Jobs& jobs, JobOptions options, Step step);

  // There may be something to do.
  void wake();
  // Does all that there is to do on this thread, without rests; ends early when a step fails. For tests and tools.
  void drain();
  // Waits until there is nothing to do; does it on this thread if the job has none.
  void settle();

 private:
  friend class Jobs;
  friend class JobRun;
  void run();
  JobOutcome step(Pace* pace) EXCLUDES(step_mutex_);
  // Returns when the time is over, or the job stops, or (if `wakeable`) is woken.
  void pause(int64_t us, bool wakeable) EXCLUDES(mutex_);
  void wait_when_idle() EXCLUDES(mutex_);

  Jobs& jobs_;
  const JobOptions options_;
  const Step step_;

  Mutex step_mutex_{kJobStepRank};  // one step at a time; taken before every other lock of the engine
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
  void start();
  // Ends every thread after its current step. Steps see stopping() and may return early.
  void stop();
  bool stopping() const { return stopping_.load(std::memory_order_relaxed); }

 private:
  friend class Job;
  PaceGroup pace_group_;
  std::vector<std::unique_ptr<Job>> jobs_;
  bool started_ = false;
  std::atomic<bool> stopping_{false};
};

}  // namespace trestle
