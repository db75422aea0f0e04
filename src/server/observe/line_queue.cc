#include "server/observe/line_queue.h"

#include <pthread.h>

#include <utility>

namespace trestle {

LineQueue::LineQueue(const char* name, size_t bytes_max, std::function<void(std::string lines)> write)
    : name_(name), bytes_max_(bytes_max), write_(std::move(write)), thread_([this] { run(); }) {}

LineQueue::~LineQueue() {
  {
    MutexLock lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

bool LineQueue::add(std::string_view line) {
  bool was_empty = false;
  {
    MutexLock lock(mutex_);
    if (queue_.size() + line.size() > bytes_max_) return false;
    was_empty = queue_.empty();
    queue_ += line;
  }
  if (was_empty) wake_.notify_one();
  return true;
}

void LineQueue::run() {
  pthread_setname_np(pthread_self(), name_);
  for (;;) {
    std::string lines;
    {
      MutexLock lock(mutex_);
      while (queue_.empty() && !stopping_) wake_.wait(mutex_);
      if (queue_.empty()) return;
      lines.swap(queue_);
    }
    write_(std::move(lines));
  }
}

}  // namespace trestle
