// Keeps writes to the log apart from the beginning of a new log: many threads may write, or one may close the gate.
//
// RocksDB 7.8.3 stops the program, by an assertion, when a write buffer that holds an erased range is written out
// twice. That happens when it fails to begin a log, and it fails after a failed write until it recovers. Whether a
// write has failed is known only when none is under way.
//
// A thread that closes the gate comes before later writes. Thread-safe.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/mutex.h"
#include "storage/lock_ranks.h"

namespace trestle {

class LogGate {
 public:
  // A write to the log is under way.
  class Writing {
   public:
    explicit Writing(LogGate& gate) : gate_(gate) { gate_.enter(); }
    ~Writing() { gate_.leave(); }
    Writing(const Writing&) = delete;
    Writing& operator=(const Writing&) = delete;

   private:
    LogGate& gate_;
  };

  // No write to the log is under way.
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
    // In one order with close(): either that sees this write, or this write sees that the gate is closed.
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

  std::atomic<uint64_t> writes_{0};  // under way
  std::atomic<bool> closed_{false};
  Mutex mutex_{kShortRank};
  ConditionVariable opened_;
  ConditionVariable emptied_;
};

}  // namespace trestle
