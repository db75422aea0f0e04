#include "design/language/quantity.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "design/language/word.h"

namespace trestle::design {
namespace {

// Removes the number at the front of `text` and returns it.
std::optional<double> take_number(std::string_view& text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || !std::isfinite(number) || number < 0 || number > 1e15) return std::nullopt;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return number;
}

}  // namespace

std::optional<int64_t> parse_duration_s(std::string_view text) {
  text = trim_blanks(text);
  const auto number = take_number(text);
  text = trim_blanks(text);
  if (!number || text.empty()) return std::nullopt;
  double unit = 0;
  if (text == "s") unit = 1;
  if (text == "m") unit = 60;
  if (text == "h") unit = 3600;
  if (text == "d") unit = 86400;
  if (text == "w") unit = 7 * 86400;
  if (unit == 0) return std::nullopt;
  return static_cast<int64_t>(*number * unit);
}

std::string duration_text(int64_t seconds) {
  if (seconds != 0 && seconds % 86400 == 0) return fmt::format("{}d", seconds / 86400);
  if (seconds != 0 && seconds % 3600 == 0) return fmt::format("{}h", seconds / 3600);
  if (seconds != 0 && seconds % 60 == 0) return fmt::format("{}m", seconds / 60);
  return fmt::format("{}s", seconds);
}

std::optional<int64_t> parse_bytes(std::string_view text) {
  text = trim_blanks(text);
  const auto number = take_number(text);
  text = trim_blanks(text);
  if (!number) return std::nullopt;
  double unit = 0;
  if (text.empty() || text == "B") unit = 1;
  if (text == "KB" || text == "KiB") unit = 1024;
  if (text == "MB" || text == "MiB") unit = 1024.0 * 1024;
  if (unit == 0 || *number * unit > 1e15) return std::nullopt;
  return static_cast<int64_t>(*number * unit);
}

std::string bytes_text(int64_t bytes) {
  if (bytes >= 1024 * 1024 && bytes % (1024 * 1024) == 0) return fmt::format("{} MB", bytes / (1024 * 1024));
  if (bytes >= 1024) return fmt::format("{:.{}f} KB", static_cast<double>(bytes) / 1024, bytes % 1024 == 0 ? 0 : 1);
  return fmt::format("{} bytes", bytes);
}

std::optional<double> parse_share(std::string_view text) {
  text = trim_blanks(text);
  const auto number = take_number(text);
  if (!number || trim_blanks(text) != "%") return std::nullopt;
  return *number / 100;
}

std::optional<Rate> parse_rate(std::string_view text) {
  Rate rate;
  text = trim_blanks(text);
  auto number = take_number(text);
  if (!number) return std::nullopt;
  if (text.starts_with('K'))
    *number *= 1e3, text.remove_prefix(1);
  else if (text.starts_with('M'))
    *number *= 1e6, text.remove_prefix(1);
  if (!text.starts_with('/')) return std::nullopt;
  text.remove_prefix(1);
  const size_t end = std::min(text.find(' '), text.size());
  const std::string_view unit = text.substr(0, end);
  text = trim_blanks(text.substr(end));
  double seconds = 0;
  if (unit == "s") seconds = 1;
  if (unit == "m") seconds = 60;
  if (unit == "h") seconds = 3600;
  if (unit == "d") seconds = 86400;
  if (unit == "month") seconds = 30 * 86400.0;
  if (seconds == 0) return std::nullopt;
  rate.per_second = *number / seconds;
  if (text.empty()) return rate;
  if (!text.starts_with("per ")) return std::nullopt;
  text.remove_prefix(4);
  while (!text.empty()) {
    const size_t comma = std::min(text.find(','), text.size());
    const std::string_view field = trim_blanks(text.substr(0, comma));
    text.remove_prefix(std::min(comma + 1, text.size()));
    if (field.empty() || field.find(' ') != std::string_view::npos) return std::nullopt;
    rate.per.emplace_back(field);
  }
  return rate.per.empty() ? std::nullopt : std::optional(rate);
}

std::string rate_text(double per_second) {
  if (per_second >= 10) return fmt::format("{:.0f}/s", per_second);
  return fmt::format("{:.2g}/s", per_second);
}

std::string figure_text(double figure) {
  std::string text = fmt::format("{:.1f}", figure);
  if (text.ends_with(".0")) text.resize(text.size() - 2);
  const size_t first = text.starts_with('-') ? 1 : 0;
  for (size_t at = std::min(text.find('.'), text.size()); at > first + 3;) text.insert(at -= 3, ",");
  return text;
}

}  // namespace trestle::design
