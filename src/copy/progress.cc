#include "copy/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace trestle::copy {
namespace {

constexpr auto kBarInterval = std::chrono::milliseconds(200);
constexpr auto kLineInterval = std::chrono::seconds(5);
constexpr int kBarWidth = 20;

std::string duration_text(int64_t seconds) {
  if (seconds >= 3600) return fmt::format("{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
  return fmt::format("{}:{:02}", seconds / 60, seconds % 60);
}

}  // namespace

std::string with_thousands(int64_t number) {
  std::string text = fmt::format("{}", number);
  for (auto at = static_cast<int64_t>(text.size()) - 3; at > (number < 0 ? 1 : 0); at -= 3) {
    text.insert(static_cast<size_t>(at), ",");
  }
  return text;
}

std::string bytes_text(int64_t bytes) {
  const auto size = static_cast<double>(bytes);
  if (size < 1e3) return fmt::format("{} B", bytes);
  if (size < 1e6) return fmt::format("{:.1f} KB", size / 1e3);
  if (size < 1e9) return fmt::format("{:.1f} MB", size / 1e6);
  return fmt::format("{:.2f} GB", size / 1e9);
}

std::string progress_text(const std::string& label, const Figures& figures, int64_t items_before, double seconds,
                          bool bar) {
  std::string text = label;
  const int64_t total = std::max(figures.items_total, figures.items);
  const double share = total == 0 ? 0 : static_cast<double>(figures.items) / static_cast<double>(total);
  if (figures.items_total > 0) {
    const auto full = static_cast<size_t>(share * kBarWidth);
    if (bar) text += fmt::format("  [{}{}]", std::string(full, '#'), std::string(kBarWidth - full, '-'));
    text += fmt::format("  {:3.0f}%", share * 100);
  }
  text += fmt::format("  {} items", with_thousands(figures.items));
  if (figures.bytes > 0) text += "  " + bytes_text(figures.bytes);
  const double rate = seconds > 0 ? static_cast<double>(figures.items - items_before) / seconds : 0;
  text += fmt::format("  {}/s", with_thousands(static_cast<int64_t>(rate)));
  if (figures.items_total > 0 && rate >= 1 && total > figures.items) {
    text += fmt::format("  ETA {}",
                        duration_text(static_cast<int64_t>(static_cast<double>(total - figures.items) / rate) + 1));
  }
  if (!figures.note.empty()) text += "  " + figures.note;
  return text;
}

Progress::Progress() : terminal_(isatty(STDERR_FILENO) == 1) {}

void Progress::begin(std::string label, int64_t items_before) {
  end();
  label_ = std::move(label);
  items_before_ = items_before;
  began_ = std::chrono::steady_clock::now();
  next_ = began_ + (terminal_ ? std::chrono::steady_clock::duration(kBarInterval) : kLineInterval);
}

void Progress::show(const Figures& figures) {
  const Time now = std::chrono::steady_clock::now();
  if (now < next_) return;
  const double seconds = std::chrono::duration<double>(now - began_).count();
  const std::string text = progress_text(label_, figures, items_before_, seconds, terminal_);
  if (terminal_) {
    std::fprintf(stderr, "\r\033[K%s", text.c_str());
    std::fflush(stderr);
    bar_shown_ = true;
    next_ = now + kBarInterval;
  } else {
    say(text);
    next_ = now + kLineInterval;
  }
}

void Progress::say(const std::string& line) {
  end();
  fmt::print("{}\n", line);
  std::fflush(stdout);
}

void Progress::end() {
  if (!bar_shown_) return;
  std::fputs("\r\033[K", stderr);
  std::fflush(stderr);
  bar_shown_ = false;
}

}  // namespace trestle::copy
