// Pieces of work done by several threads.
#pragma once

#include <functional>

#include "model/error.h"

namespace trestle::copy {

// Calls work(0) to work(count - 1), each once, on up to `threads` threads, and returns when all are done. After a
// failure no more are begun, and the first failure is the answer. Meanwhile the caller's thread calls `tick` now and
// then, and a last time at the end; without it, it works too.
Result<void> in_parallel(unsigned threads, size_t count, const std::function<Result<void>(size_t)>& work,
                         const std::function<void()>& tick = {});

}  // namespace trestle::copy
