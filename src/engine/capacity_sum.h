// What several parts of one request consumed, by table, in the order of first mention.
#pragma once

#include <optional>
#include <vector>

#include "model/parameters.h"

namespace trestle {

class CapacitySum {
 public:
  void add(const std::optional<ConsumedCapacity>& part);
  std::vector<ConsumedCapacity> release() { return std::move(sums_); }

 private:
  std::vector<ConsumedCapacity> sums_;
};

}  // namespace trestle
