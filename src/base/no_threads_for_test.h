// For tests: while it exists, no thread can be started.
#pragma once

#include <pthread.h>

#include <cstddef>

#include "base/check.h"

namespace trestle {

class NoThreads {
 public:
  NoThreads() {
    CHECK(pthread_getattr_default_np(&before_) == 0);
    pthread_attr_t attributes;
    CHECK(pthread_getattr_default_np(&attributes) == 0);
    CHECK(pthread_attr_setstacksize(&attributes, size_t{1} << 46) == 0);  // more than there are addresses
    CHECK(pthread_setattr_default_np(&attributes) == 0);
    pthread_attr_destroy(&attributes);
  }
  ~NoThreads() {
    pthread_setattr_default_np(&before_);
    pthread_attr_destroy(&before_);
  }
  NoThreads(const NoThreads&) = delete;
  NoThreads& operator=(const NoThreads&) = delete;

 private:
  pthread_attr_t before_;
};

}  // namespace trestle
