// Runs pieces of work on several threads.
#pragma once

#include <functional>

#include "model/error.h"

namespace trestle::copy {

// Calls work(0) to work(count - 1), each once, on up to `threads` threads, and returns when all are done. After a
// failure no more calls are started, and the first failure is returned. The caller's thread calls `tick` periodically
// and once at the end; if there is no `tick`, it works too.
Result<void> in_parallel(unsigned threads, size_t count, const std::function<Result<void>(size_t)>& work,
                         const std::function<void()>& tick = {});

}  // namespace trestle::copy
