// Tasks: background work that ends, such as filling an index or freeing what was dropped. One job (engine/jobs/jobs.h)
// does a step of each in turn; a task that fails is tried again, after a pause that doubles with each failure.
//
// A task has a key: what it works on. Adding one whose key is known does not add a second, but lets the first, when it
// has nothing left to do, look once more. What a stop leaves undone must be found again at the next start.
// Threads may share it.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <string>

#include "base/mutex.h"
#include "engine/jobs/jobs.h"

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
    bool again = false;         // asked for while it was known
    int failures = 0;           // in a row
    int64_t not_before_us = 0;  // after a failure
  };
  JobOutcome step(JobRun& run);

  mutable Mutex mutex_;
  std::list<Entry> entries_ GUARDED_BY(mutex_);  // the next one first; only the job removes and moves them
  Job& job_;
};

}  // namespace trestle
