#include "engine/background.h"

#include <pthread.h>

namespace trestle {

Background::Background() : thread_([this] { run(); }) {}
Background::~Background() { stop(); }

void Background::add(std::function<void()> job) {
  {
    MutexLock lock(mutex_);
    jobs_.push_back(std::move(job));
  }
  changed_.notify_all();
}

void Background::wait_idle() {
  MutexLock lock(mutex_);
  while (busy_ || !jobs_.empty()) changed_.wait(mutex_);
}

size_t Background::job_count() const {
  MutexLock lock(mutex_);
  return jobs_.size() + (busy_ ? 1 : 0);
}

void Background::stop() {
  {
    MutexLock lock(mutex_);
    stopping_.store(true, std::memory_order_relaxed);
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void Background::run() {
  pthread_setname_np(pthread_self(), "background");
  for (;;) {
    std::function<void()> job;
    {
      MutexLock lock(mutex_);
      busy_ = false;
      changed_.notify_all();
      while (jobs_.empty() && !stopping()) changed_.wait(mutex_);
      if (stopping()) return;
      job = std::move(jobs_.front());
      jobs_.pop_front();
      busy_ = true;
    }
    job();
  }
}

}  // namespace trestle
