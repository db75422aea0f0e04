// Work that outlives a request: one thread, one job after another, in the order given. A job should look at stopping()
// now and then and leave early; whatever it leaves undone must be found again at the next start.
#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <thread>

#include "base/mutex.h"

namespace trestle {

class Background {
 public:
  Background();
  ~Background();
  void add(std::function<void()> job);
  bool stopping() const { return stopping_.load(std::memory_order_relaxed); }
  void wait_idle();
  // Jobs under way and waiting.
  size_t job_count() const;
  // Ends the thread after the job under way; later jobs are dropped.
  void stop();

 private:
  void run();

  mutable Mutex mutex_;
  ConditionVariable changed_;
  std::deque<std::function<void()>> jobs_ GUARDED_BY(mutex_);
  bool busy_ GUARDED_BY(mutex_) = false;
  std::atomic<bool> stopping_{false};
  std::thread thread_;
};

}  // namespace trestle
