#include "engine/items/capacity_sum.h"

#include <algorithm>

namespace trestle {
namespace {

using Units = std::pair<std::string, double>;

void add_units(std::vector<Units>& sum, const std::vector<Units>& more) {
  for (const auto& [name, units] : more) {
    const auto it = std::ranges::find(sum, name, &Units::first);
    if (it == sum.end()) {
      sum.emplace_back(name, units);
    } else {
      it->second += units;
    }
  }
}

}  // namespace

void CapacitySum::add_to_total(std::string_view table_name, double units) {
  const auto it = std::ranges::find(sums_, table_name, &ConsumedCapacity::table_name);
  if (it != sums_.end()) it->total += units;
}

void CapacitySum::add(const std::optional<ConsumedCapacity>& part) {
  if (!part) return;
  const auto it = std::ranges::find(sums_, part->table_name, &ConsumedCapacity::table_name);
  if (it == sums_.end()) {
    sums_.push_back(*part);
    return;
  }
  it->total += part->total;
  it->table += part->table;
  add_units(it->local_indexes, part->local_indexes);
  add_units(it->global_indexes, part->global_indexes);
  add_units(it->vector_indexes, part->vector_indexes);
}

}  // namespace trestle
