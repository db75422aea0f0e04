// The output of a copy: messages and progress. On a terminal, progress is a bar, rewritten in place; elsewhere a line
// every few seconds. Not thread-safe.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace trestle::copy {

struct Figures {
  int64_t items = 0;
  int64_t items_total = 0;  // estimate; 0: unknown
  int64_t bytes = 0;        // 0: not shown
  std::string note = {};
};

// "copy  [#####---------------]  25%  5,000 items  1.2 MB  830/s  ETA 0:18"
std::string progress_text(const std::string& label, const Figures& figures, int64_t items_before, double seconds,
                          bool bar);
std::string with_thousands(int64_t number);
std::string bytes_text(int64_t bytes);

class Progress {
 public:
  Progress();
  ~Progress() { end(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Starts a phase. Rates do not include `items_before`.
  void begin(std::string label, int64_t items_before);
  void show(const Figures& figures);
  // Prints a line on standard output.
  void say(const std::string& line);
  void end();

 private:
  using Time = std::chrono::steady_clock::time_point;

  const bool terminal_;
  bool bar_shown_ = false;
  std::string label_;
  int64_t items_before_ = 0;
  Time began_ = {}, next_ = {};
};

}  // namespace trestle::copy
