#include "bench/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

namespace trestle::bench {

namespace {

std::chrono::steady_clock::duration interval(bool terminal, double every_s) {
  if (terminal) return std::chrono::milliseconds(200);
  if (every_s == 0) return std::chrono::hours(24 * 365);
  return std::chrono::milliseconds(static_cast<int64_t>(every_s * 1000));
}

}  // namespace

Progress::Progress(std::string label, double every_s)
    : label_(std::move(label)),
      terminal_(isatty(STDERR_FILENO) == 1),
      every_s_(every_s),
      next_(std::chrono::steady_clock::now() + interval(terminal_, every_s_)),
      last_(std::chrono::steady_clock::now()) {}

Progress::~Progress() {
  if (terminal_) std::fputs("\r\033[K", stderr);
}

void Progress::show(Time now, double done, uint64_t count) {
  const double seconds = std::chrono::duration<double>(now - last_).count();
  const double rate = static_cast<double>(count - last_count_) / seconds;
  const std::string line = fmt::format("{}: {:3.0f}%  {:.0f}/s", label_, done * 100, rate);
  std::fprintf(stderr, terminal_ ? "\r\033[K%s" : "%s\n", line.c_str());
  std::fflush(stderr);
  last_ = now;
  last_count_ = count;
  next_ = now + interval(terminal_, every_s_);
}

}  // namespace trestle::bench
