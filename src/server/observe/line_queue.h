// A bounded queue of log lines, and the thread that writes them, so that a slow disk or log reader does not delay
// requests. Thread-safe.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <thread>

#include "base/mutex.h"

namespace trestle {

class LineQueue {
 public:
  // The thread, called `name`, passes all queued lines to `write` at once.
  LineQueue(const char* name, size_t bytes_max, std::function<void(std::string lines)> write);
  // Writes the queued lines first.
  ~LineQueue();

  // Returns false if the line does not fit; it is not queued then.
  bool add(std::string_view line);

 private:
  void run();

  const char* const name_;
  const size_t bytes_max_;
  const std::function<void(std::string lines)> write_;

  Mutex mutex_;
  ConditionVariable wake_;
  std::string queue_ GUARDED_BY(mutex_);
  bool stopping_ GUARDED_BY(mutex_) = false;

  std::thread thread_;  // last: it uses all of the above
};

}  // namespace trestle
