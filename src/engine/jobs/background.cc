#include "engine/jobs/background.h"

#include <algorithm>
#include <limits>

#include "base/steady_us.h"

namespace trestle {

Background::Background(Jobs& jobs)
    : job_(jobs.add({.name = "background"}, [this](JobRun& run) { return step(run); })) {}

void Background::add(std::string key, Task task) {
  {
    MutexLock lock(mutex_);
    const auto known = std::ranges::find(entries_, key, &Entry::key);
    if (known == entries_.end()) {
      entries_.push_back({.key = std::move(key), .task = std::move(task)});
    } else {
      known->again = true;
    }
  }
  job_.wake();
}

size_t Background::task_count() const {
  MutexLock lock(mutex_);
  return entries_.size();
}

JobOutcome Background::step(JobRun& run) {
  std::list<Entry>::iterator entry;
  {
    MutexLock lock(mutex_);
    const int64_t now_us = steady_us();
    entry = std::ranges::find_if(entries_, [&](const Entry& candidate) { return candidate.not_before_us <= now_us; });
    if (entry == entries_.end()) {
      if (entries_.empty()) return JobOutcome::idle();
      const auto next = std::ranges::min_element(entries_, {}, &Entry::not_before_us);
      return JobOutcome::later(next->not_before_us - now_us);
    }
    entry->again = false;
  }
  const JobOutcome outcome = entry->task(run);  // without the mutex: only the job's thread runs and removes tasks
  MutexLock lock(mutex_);
  entry->failures = outcome.kind == JobOutcome::Kind::kFailed ? entry->failures + 1 : 0;
  if (entry->failures > 0) entry->not_before_us = steady_us() + retry_pause_us(entry->failures);
  if (outcome.kind == JobOutcome::Kind::kIdle && !entry->again) {
    entries_.erase(entry);
  } else {
    entries_.splice(entries_.end(), entries_, entry);
  }
  return JobOutcome::worked();
}

}  // namespace trestle
