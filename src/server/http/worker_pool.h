// Threads for calls that may block: a fixed number of threads and a bounded queue.
//
// submit() never blocks; it fails when the queue is full. The destructor stops the pool. Thread-safe; a task must not
// stop or destroy the pool.
#pragma once

#include <deque>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "base/mutex.h"

namespace trestle {

class WorkerPool {
 public:
  using Task = std::move_only_function<void()>;

  // `name` is given to the threads; at most 15 characters. A higher `niceness` lowers the threads' priority, as for
  // nice(1). Throws std::system_error if the system has no more threads.
  WorkerPool(std::string name, unsigned threads, size_t queue_max, int niceness = 0);
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  // Rejects new tasks, destroys those that have not begun, finishes the others, and joins the threads.
  void stop();
  // Returns false, leaving `task` unchanged, if the queue is full or the pool is stopped.
  bool submit(Task& task);
  size_t queued() const;

 private:
  void run();
  // Like stop(), without joining the threads.
  void end();

  const std::string name_;
  const size_t queue_max_;
  const int niceness_;
  mutable Mutex mutex_;
  ConditionVariable wake_;
  std::deque<Task> queue_ GUARDED_BY(mutex_);
  bool stopping_ GUARDED_BY(mutex_) = false;
  std::vector<std::thread> threads_;  // last: the threads use all of the above
};

}  // namespace trestle
