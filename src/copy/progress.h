// What a copy says while it works: lines of what happened, and how far it is. On a terminal that is a bar, rewritten in
// place; elsewhere a line every few seconds. One thread at a time.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace trestle::copy {

struct Figures {
  int64_t items = 0;
  int64_t items_total = 0;  // about; 0: nobody knows
  int64_t bytes = 0;        // 0: not told
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

  // Something that takes time begins. Rates count from what was done before.
  void begin(std::string label, int64_t items_before);
  void show(const Figures& figures);
  // A whole line, on standard output.
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
