// The clock of tables' histories. Each recorded commit has a time that is never less than that of an earlier commit,
// even if the machine's clock is set back. So "up to this time" is a consistent cut through all commits. Thread-safe.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/clock.h"
#include "base/mutex.h"
#include "storage/lock_ranks.h"
#include "storage/store.h"

namespace trestle {

class HistoryClock {
 public:
  explicit HistoryClock(const Clock& clock) : clock_(clock) {}

  struct Stamp {
    uint64_t commit = 0;
    int64_t time_ms = 0;
  };
  // Begins a commit (Store::begin_commit) and assigns its time.
  Stamp begin(Store& store) {
    MutexLock lock(mutex_);
    last_ms_ = std::max(last_ms_, clock_.now_ms());
    return {.commit = store.begin_commit(), .time_ms = last_ms_};
  }
  // No commit that begins from now on has an earlier time.
  int64_t now_ms() const {
    MutexLock lock(mutex_);
    return std::max(last_ms_, clock_.now_ms());
  }
  // Ensures that every commit that begins from now on has a later time.
  void pass(int64_t time_ms) {
    MutexLock lock(mutex_);
    last_ms_ = std::max(last_ms_, time_ms + 1);
  }
  // The last time assigned; 0: none.
  int64_t last_ms() const {
    MutexLock lock(mutex_);
    return last_ms_;
  }

 private:
  const Clock& clock_;
  mutable Mutex mutex_{kHistoryClockRank};
  int64_t last_ms_ GUARDED_BY(mutex_) = 0;
};

}  // namespace trestle
