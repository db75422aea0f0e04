// Sums the capacity consumed by several parts of a request, by table. Tables are in the order of first mention.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "model/parameters.h"

namespace trestle {

class CapacitySum {
 public:
  void add(const std::optional<ConsumedCapacity>& part);
  // Adds units to a table's total only, if the table has one.
  void add_to_total(std::string_view table_name, double units);
  std::vector<ConsumedCapacity> release() { return std::move(sums_); }

 private:
  std::vector<ConsumedCapacity> sums_;
};

}  // namespace trestle
