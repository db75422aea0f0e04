// Background tasks: work that ends, such as backfilling an index or freeing a dropped keyspace. One job
// (engine/jobs/jobs.h) runs one step of each task in turn. A task that fails is retried with exponential backoff.
//
// A task has a key, which identifies what it works on. Adding a task whose key is known already does not add a second
// task, but makes the first one check for work once more before it ends. Tasks are not stored: on startup the engine
// must add unfinished ones again. Thread-safe.
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
  // Runs one step of the task. It returns idle() when the task is done.
  using Task = std::function<JobOutcome(JobRun&)>;

  explicit Background(Jobs& jobs);
  void add(std::string key, Task task);
  // Waits until every task is done.
  void wait_idle() { job_.wait_idle(); }
  // The number of tasks that are not done.
  size_t task_count() const;

 private:
  struct Entry {
    std::string key;
    Task task;
    bool again = false;         // added again while it was known
    int failures = 0;           // consecutive
    int64_t not_before_us = 0;  // when to retry after a failure
  };
  JobOutcome step(JobRun& run);

  mutable Mutex mutex_{kShortRank};
  std::list<Entry> entries_ GUARDED_BY(mutex_);  // the next one first; only the job removes and moves them
  Job& job_;
};

}  // namespace trestle
