#include "runtime/values/versions.h"

#include <algorithm>

namespace trestle::runtime {
namespace {

bool is_number(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

int compare_text(std::string_view a, std::string_view b) { return a < b ? -1 : a == b ? 0 : 1; }

// Compares numbers of any length by value.
int compare_numbers_in(std::string_view a, std::string_view b) {
  a.remove_prefix(std::min(a.find_first_not_of('0'), a.size()));
  b.remove_prefix(std::min(b.find_first_not_of('0'), b.size()));
  if (a.size() != b.size()) return a.size() < b.size() ? -1 : 1;
  return compare_text(a, b);
}

int compare_part(std::string_view a, std::string_view b) {
  if (is_number(a) && is_number(b)) return compare_numbers_in(a, b);
  if (is_number(a) != is_number(b)) return is_number(a) ? -1 : 1;
  return compare_text(a, b);
}

std::string_view take_part(std::string_view& text) {
  const size_t end = std::min(text.find('.'), text.size());
  const std::string_view part = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return part;
}

struct Version {
  std::string_view core, before;  // `before`: of a pre-release
};

Version version_of(std::string_view text) {
  if (text.starts_with('v') || text.starts_with('V')) text.remove_prefix(1);
  text = text.substr(0, text.find('+'));
  const size_t dash = text.find('-');
  if (dash == std::string_view::npos) return {text, {}};
  return {text.substr(0, dash), text.substr(dash + 1)};
}

}  // namespace

int compare_versions(std::string_view a, std::string_view b) {
  Version x = version_of(a), y = version_of(b);
  while (!x.core.empty() || !y.core.empty()) {
    const std::string_view left = take_part(x.core), right = take_part(y.core);
    const int order = compare_part(left.empty() ? "0" : left, right.empty() ? "0" : right);
    if (order != 0) return order;
  }
  // A release comes after its pre-releases.
  if (x.before.empty() || y.before.empty()) return (x.before.empty() ? 1 : 0) - (y.before.empty() ? 1 : 0);
  while (!x.before.empty() && !y.before.empty()) {
    const int order = compare_part(take_part(x.before), take_part(y.before));
    if (order != 0) return order;
  }
  return (x.before.empty() ? 0 : 1) - (y.before.empty() ? 0 : 1);
}

}  // namespace trestle::runtime
