// Selects the possible worlds that agree with an observation. Shared by the models of tables and of designs.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string>
#include <vector>

namespace trestle {

// How `observed` differs from `expected`. Both must be sorted.
struct LineDifference {
  std::vector<std::string> missing;
  std::vector<std::string> surplus;
  size_t size() const { return missing.size() + surplus.size(); }
};
inline LineDifference difference_of(const std::vector<std::string>& expected,
                                    const std::vector<std::string>& observed) {
  LineDifference found;
  std::ranges::set_difference(expected, observed, std::back_inserter(found.missing));
  std::ranges::set_difference(observed, expected, std::back_inserter(found.surplus));
  return found;
}

// Keeps only the worlds whose lines() equal `observed`. If there are none, returns false, leaves `worlds` unchanged,
// and describes in `difference` how the closest world differs.
template <class AnyWorld>
bool keep_agreeing(std::vector<AnyWorld>& worlds, const std::vector<std::string>& observed, std::string& difference) {
  std::vector<AnyWorld> agreeing;
  size_t closest = SIZE_MAX;
  for (const AnyWorld& world : worlds) {
    const LineDifference found = difference_of(world.lines(), observed);
    if (found.size() == 0) agreeing.push_back(world);
    if (found.size() >= closest) continue;
    closest = found.size();
    difference = fmt::format("of {} possible worlds the closest differs:\n", worlds.size());
    for (const std::string& line : found.missing) difference += fmt::format("  missing: {}\n", line);
    for (const std::string& line : found.surplus) difference += fmt::format("  unexpected: {}\n", line);
  }
  if (agreeing.empty()) return false;
  worlds = std::move(agreeing);
  return true;
}

}  // namespace trestle
