#include "server/http/worker_pool.h"

#include <pthread.h>
#include <sys/resource.h>

#include <utility>

#include "base/start_threads.h"

namespace trestle {

WorkerPool::WorkerPool(std::string name, unsigned threads, size_t queue_max, int niceness)
    : name_(std::move(name)), queue_max_(queue_max), niceness_(niceness) {
  start_threads(threads_, threads, [this](size_t) { run(); }, [this] { end(); });
}

WorkerPool::~WorkerPool() { stop(); }

void WorkerPool::end() {
  std::deque<Task> discarded;  // destroyed without the lock, because a task may own replies
  {
    MutexLock lock(mutex_);
    stopping_ = true;
    discarded.swap(queue_);
  }
  discarded.clear();
  wake_.notify_all();
}

void WorkerPool::stop() {
  end();
  for (std::thread& thread : threads_) {
    if (thread.joinable()) thread.join();
  }
}

bool WorkerPool::submit(Task& task) {
  {
    MutexLock lock(mutex_);
    if (stopping_ || queue_.size() >= queue_max_) return false;
    queue_.push_back(std::move(task));
  }
  wake_.notify_one();
  return true;
}

size_t WorkerPool::queued() const {
  MutexLock lock(mutex_);
  return queue_.size();
}

void WorkerPool::run() {
  pthread_setname_np(pthread_self(), name_.c_str());
  // On Linux this affects the calling thread only.
  if (niceness_ != 0) (void)setpriority(PRIO_PROCESS, 0, niceness_);
  for (;;) {
    Task task;
    {
      MutexLock lock(mutex_);
      while (queue_.empty() && !stopping_) wake_.wait(mutex_);
      if (queue_.empty()) return;
      task = std::move(queue_.front());
      queue_.pop_front();
    }
    task();
  }
}

}  // namespace trestle
