// A small number for each thread, in the order in which threads first call this. Counters that many threads add to are
// divided into cells by it, so that threads seldom share a cache line.
#pragma once

#include <atomic>
#include <cstddef>

namespace trestle {

inline size_t thread_number() {
  static std::atomic<size_t> next{0};
  thread_local const size_t mine = next.fetch_add(1, std::memory_order_relaxed);
  return mine;
}

}  // namespace trestle
