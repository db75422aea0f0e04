// Capacity units by AWS's rules: a write unit is 1 KB of item, a read unit 4 KB read consistently, and half a unit if
// not. Sizes are DynamoDB's.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "model/parameters.h"
#include "model/table.h"

namespace trestle {

double read_units(size_t bytes, bool consistent);
double write_units(size_t bytes);

// What one request consumed, by table and index, ready to be told.
class CapacityMeter {
 public:
  CapacityMeter(std::string_view table_name, ReturnConsumedCapacity detail);
  void add_table(double units) { capacity_.table += units; }
  // An index that costs nothing is not told of.
  void add_index(const IndexDescription& index, double units);
  // Nothing if the request did not ask.
  std::optional<ConsumedCapacity> told() const;

 private:
  ConsumedCapacity capacity_;
};

}  // namespace trestle
