// Tasks: background work that ends, such as filling an index or freeing a dropped keyspace. One job
// (engine/jobs/jobs.h) does a step of each in turn; a task that fails is retried with exponential backoff.
//
// A task has a key, which identifies what it works on. Adding a task with a known key does not add a second one, but
// makes the first check for work once more before it ends. The next start must find again what a stop leaves
// unfinished. Thread-safe.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <string>

#include "base/mutex.h"
#include "engine/jobs/jobs.h"
#include "storage/lock_ranks.h"

namespace trestle {

class Background {
 public:
  // idle(): it is done.
  using Task = std::function<JobOutcome(JobRun&)>;

  explicit Background(Jobs& jobs);
  void add(std::string key, Task task);
  // Waits until every task is done.
  void wait_idle() { job_.settle(); }
  // Tasks that are not done.
  size_t task_count() const;

 private:
  struct Entry {
    std::string key;
    Task task;
    bool again = false;         // added again while it was known
    int failures = 0;           // in a row
    int64_t not_before_us = 0;  // after a failure
  };
  JobOutcome step(JobRun& run);

  mutable Mutex mutex_{kShortRank};
  std::list<Entry> entries_ GUARDED_BY(mutex_);  // the next one first; only the job removes and moves them
  Job& job_;
};

}  // namespace trestle
