// Writes to the target of a copy: any number of puts and deletions of different items, in batches, within the rate
// limits, and with retries. Thread-safe.
#pragma once

#include <string>
#include <vector>

#include "copy/patience.h"
#include "copy/rate.h"
#include "model/database.h"

namespace trestle::copy {

// State shared by all threads of a copy.
struct Pace {
  const Stop& stop;
  Patience patience = {};
  Rate write_units{0};  // as the target reports them, otherwise as DynamoDB would count them
  Rate items{0};
  Rate read_units{0};
};

class TargetWriter {
 public:
  TargetWriter(Database& target, Pace& pace) : target_(target), pace_(pace) {}

  // Returns when all writes are durable. No two writes may have the same key. An error names the item.
  Result<void> write(const std::string& table, std::vector<BatchWrite> writes);

 private:
  Result<void> write_batch(const std::string& table, std::vector<BatchWrite> batch);
  Result<void> write_some(BatchWriteItemRequest& request, double& units);
  Result<void> write_singly(const std::string& table, const std::vector<BatchWrite>& batch);

  Database& target_;
  Pace& pace_;
};

// {"pk":{"S":"a"}}
std::string item_json(ItemView item);

}  // namespace trestle::copy
