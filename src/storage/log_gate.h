// Prevents a new log from being started while writes to the log are in progress: either many threads write, or one has
// closed the gate.
//
// RocksDB 7.8.3 aborts the program with an assertion when a write buffer that contains an erased range is flushed
// twice. That happens when it cannot begin a new log, and after a failed write it cannot until it has recovered.
// Whether a write has failed is known only when no write is in progress.
//
// A thread that waits to close the gate has priority over later writes. Thread-safe.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/mutex.h"
#include "storage/lock_ranks.h"

namespace trestle {

class LogGate {
 public:
  // Exists while a thread writes to the log.
  class Writing {
   public:
    explicit Writing(LogGate& gate) : gate_(gate) { gate_.enter(); }
    ~Writing() { gate_.leave(); }
    Writing(const Writing&) = delete;
    Writing& operator=(const Writing&) = delete;

   private:
    LogGate& gate_;
  };

  // While it exists, no write to the log is in progress.
  class Closed {
   public:
    explicit Closed(LogGate& gate) : gate_(gate) { gate_.close(); }
    ~Closed() { gate_.open(); }
    Closed(const Closed&) = delete;
    Closed& operator=(const Closed&) = delete;

   private:
    LogGate& gate_;
  };

 private:
  void enter() EXCLUDES(mutex_) {
    // Sequentially consistent with close(): either close() sees this write, or this write sees the closed gate.
    while (writes_.fetch_add(1, std::memory_order_seq_cst), closed_.load(std::memory_order_seq_cst)) {
      leave();
      MutexLock lock(mutex_);
      while (closed_.load(std::memory_order_relaxed)) opened_.wait(mutex_);
    }
  }
  void leave() EXCLUDES(mutex_) {
    if (writes_.fetch_sub(1, std::memory_order_seq_cst) > 1 || !closed_.load(std::memory_order_seq_cst)) return;
    MutexLock lock(mutex_);
    emptied_.notify_all();
  }
  void close() EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    while (closed_.load(std::memory_order_relaxed)) opened_.wait(mutex_);
    closed_.store(true, std::memory_order_seq_cst);
    while (writes_.load(std::memory_order_seq_cst) > 0) emptied_.wait(mutex_);
  }
  void open() EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    closed_.store(false, std::memory_order_seq_cst);
    opened_.notify_all();
  }

  std::atomic<uint64_t> writes_{0};  // in progress
  std::atomic<bool> closed_{false};
  Mutex mutex_{kShortRank};
  ConditionVariable opened_;
  ConditionVariable emptied_;
};

}  // namespace trestle
