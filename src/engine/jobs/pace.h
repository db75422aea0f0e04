// Computes how long a background thread pauses after a piece of work, so that live traffic keeps most of its
// throughput.
//
//   PaceGroup group;  // shared by all background threads
//   ...
//   Pace pace(group);
//   for (...) {
//     pace.begin();
//     ...work...
//     wait(pace.pause_us());
//   }
//
// The load is measured by the CPU time of the threads outside the group. While those are idle, the thread does not
// pause. The busier they are, the longer it pauses, up to a multiple of the time that it worked. A piece of work that
// took unusually long, because it waited for a bucket or a compaction for example, is followed by a pause of no more
// than kPauseMaxUs, because the load may have changed and the other threads of the group wait for the pause too.
// Threads of a group pause one after another, so that several of them take about as much from live traffic as one.
// Request threads need not count or signal anything. Constructing a Pace also lowers the thread's scheduling priority:
// if CPU time is scarce, its work takes longer, and so do its pauses. A Pace must be constructed and used on one
// thread. PaceGroup is thread-safe.
#pragma once

#include <time.h>

#include <cstdint>
#include <vector>

#include "base/mutex.h"
#include "storage/lock_ranks.h"

namespace trestle {

class PaceGroup {
 public:
  // For Pace.
  void add(clockid_t thread);
  void remove(clockid_t thread);
  // CPU time used by the group's threads.
  int64_t used_us();
  // Reserves a pause of `pause_us` after the pauses that other threads have reserved. Returns how long to wait for its
  // end.
  int64_t reserve_us(int64_t now_us, int64_t pause_us);

 private:
  Mutex mutex_{kShortRank};
  std::vector<clockid_t> threads_ GUARDED_BY(mutex_);
  int64_t ended_us_ GUARDED_BY(mutex_) = 0;  // CPU time of threads that were removed
  int64_t reserved_until_us_ GUARDED_BY(mutex_) = 0;
};

class Pace {
 public:
  static constexpr int64_t kPauseMaxUs = 100'000;

  // `factor_max`: the maximum pause, as a multiple of the work before it.
  explicit Pace(PaceGroup& group, double factor_max = 4);
  ~Pace();
  Pace(const Pace&) = delete;
  Pace& operator=(const Pace&) = delete;

  void begin();
  int64_t pause_us();
  // Whether the threads outside the group were mostly busy when last sampled.
  bool is_busy() const { return busy_ >= 0.5; }

 private:
  struct Times {
    int64_t wall_us = 0;
    int64_t program_us = 0;  // CPU time of all threads
    int64_t group_us = 0;    // CPU time of the group's threads
  };
  Times now();

  PaceGroup& group_;
  const double factor_max_;
  Times began_;
  Times sampled_;  // at the last sample of the other threads
  double busy_ = 0;
};

}  // namespace trestle
