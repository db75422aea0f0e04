#include "design/plan/plan_page.h"

#include <fmt/format.h>

#include <algorithm>

namespace trestle::design {
namespace {

constexpr size_t kPageWidth = 118;
constexpr size_t kLabel = 9;

}  // namespace

void Page::line(std::string_view text) {
  std::string start(depth_, ' ');
  while (!text.empty()) {
    size_t end = text.size();
    if (start.size() + end > kPageWidth + 2) end = text.rfind(' ', kPageWidth - start.size());
    if (end == std::string_view::npos || end == 0) end = text.size();
    out_ += fmt::format("{}{}\n", start, text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    start = std::string(depth_ + 6, ' ');
  }
}

void Page::row(std::string_view label, std::string_view text) {
  const size_t left = depth_ + 2 + kLabel;
  std::string start = fmt::format("{}  {:<{}}", std::string(depth_, ' '), label, kLabel);
  while (!text.empty()) {
    size_t end = text.size();
    if (left + end > kPageWidth) {
      end = text.rfind(' ', kPageWidth - left);
      if (end == std::string_view::npos || end == 0) end = std::min(text.find(' '), text.size());
    }
    out_ += start;
    out_ += text.substr(0, end);
    out_ += '\n';
    text.remove_prefix(std::min(end + 1, text.size()));
    start = std::string(left, ' ');
  }
}

void Page::list(std::string_view label, const std::vector<std::string>& items, std::string_view separator) {
  const size_t width = kPageWidth - depth_ - 2 - kLabel;
  const std::string_view end = separator.substr(0, separator.find_last_not_of(' ') + 1);
  std::string text;
  for (size_t i = 0; i < items.size(); ++i) {
    const bool last = i + 1 == items.size();
    const size_t length = items[i].size() + (last ? 0 : end.size());
    if (!text.empty() && text.size() + separator.size() - end.size() + length > width) {
      row(label, text);
      label = "";
      text.clear();
    }
    if (!text.empty()) text += separator.substr(end.size());
    text += items[i];
    if (!last) text += end;
  }
  row(label, text);
}

}  // namespace trestle::design
