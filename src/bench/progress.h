// The progress line of a run. On a terminal it is rewritten in place five times a second. Elsewhere nothing is written
// before the result, except that a long load reports every ten seconds.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace trestle::bench {

class Progress {
 public:
  using Time = std::chrono::steady_clock::time_point;

  // `label`: such as "get, 64 connections". `every_s`: the interval between lines when there is no terminal; 0: none.
  Progress(std::string label, double every_s);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  bool due(Time now) const { return now >= next_; }
  // `done` grows from 0 to 1; `count` is the number of finished requests or items.
  void show(Time now, double done, uint64_t count);

 private:
  const std::string label_;
  const bool terminal_;
  const double every_s_;
  Time next_;
  Time last_;
  uint64_t last_count_ = 0;
};

}  // namespace trestle::bench
