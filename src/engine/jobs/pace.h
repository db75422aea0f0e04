// How long a background thread rests after a piece of work, so that live traffic keeps most of its rate.
//
//   PaceGroup group;  // of all background threads
//   ...
//   Pace pace(group);
//   for (...) {
//     pace.begin();
//     ...work...
//     wait(pace.rest_us());
//   }
//
// The load is measured by the CPU time of the threads outside of the group: while they are idle, the thread does not
// rest. The busier they are, the longer it rests, up to a multiple of the time that it worked; threads of a group rest
// one after another, so that several of them take about as much from live traffic as one. Request threads need not
// count or signal anything. Where processors are short, the thread also gets a smaller share of them than others do,
// from the moment it makes its Pace; its work then takes longer, and so do its rests. A Pace is made and used by one
// thread alone. PaceGroup is thread-safe.
#pragma once

#include <time.h>

#include <cstdint>
#include <vector>

#include "base/mutex.h"
#include "storage/lock_ranks.h"

namespace trestle {

class PaceGroup {
 private:
  friend class Pace;
  void add(clockid_t thread);
  void remove(clockid_t thread);
  // CPU time of its threads.
  int64_t used_us();
  // How long a thread that is to rest for so long waits for the end of its rest.
  int64_t reserve_us(int64_t now_us, int64_t rest_us);

  Mutex mutex_{kShortRank};
  std::vector<clockid_t> threads_ GUARDED_BY(mutex_);
  int64_t ended_us_ GUARDED_BY(mutex_) = 0;  // CPU time of threads that were removed
  int64_t reserved_until_us_ GUARDED_BY(mutex_) = 0;
};

class Pace {
 public:
  // The longest rest, as a multiple of the work before it.
  explicit Pace(PaceGroup& group, double factor_max = 4);
  ~Pace();
  Pace(const Pace&) = delete;
  Pace& operator=(const Pace&) = delete;

  void begin();
  int64_t rest_us();
  // Whether the threads outside of the group were mostly busy, when last looked at.
  bool is_busy() const { return busy_ >= 0.5; }

 private:
  struct Times {
    int64_t wall_us = 0;
    int64_t program_us = 0;  // processor time of all threads
    int64_t group_us = 0;    // of the group's
  };
  Times now();

  PaceGroup& group_;
  const double factor_max_;
  Times began_;
  Times looked_;  // when the others were last looked at
  double busy_ = 0;
};

}  // namespace trestle
