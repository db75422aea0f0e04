// How long a background thread rests after a piece of work, so that live traffic keeps most of its rate.
//
//   Pace pace;
//   for (...) {
//     pace.begin();
//     ...work...
//     wait(pace.rest_us());
//   }
//
// The load is measured by the CPU time of the program's other threads: while they are idle, the thread does not rest.
// The busier they are, the longer it rests, up to a multiple of the time that it worked. Request threads need not count
// or signal anything. Where processors are short, the thread also gets a smaller share of them than others do, from the
// moment it makes its Pace; its work then takes longer, and so do its rests. One per thread, made and used by that
// thread alone.
#pragma once

#include <cstdint>

namespace trestle {

class Pace {
 public:
  // The longest rest, as a multiple of the work before it.
  explicit Pace(double factor_max = 4);

  void begin();
  int64_t rest_us();
  // Whether the other threads were mostly busy, when last looked at.
  bool is_busy() const { return busy_ >= 0.5; }

 private:
  struct Times {
    int64_t wall_us = 0;
    int64_t program_us = 0;  // processor time of all threads
    int64_t thread_us = 0;   // of this one
  };
  static Times now();

  const double factor_max_;
  Times began_;
  Times looked_;  // when the others were last looked at
  double busy_ = 0;
};

}  // namespace trestle
