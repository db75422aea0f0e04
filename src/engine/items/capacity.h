// Capacity units by AWS's rules: a write unit is 1 KB of an item; a read unit is 4 KB of a consistent read, and an
// eventually consistent read costs half of that. Sizes are DynamoDB's.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "engine/tables/throughput_meter.h"
#include "model/parameters.h"
#include "model/table.h"
#include "storage/catalog/catalog.h"

namespace trestle {

double read_units(size_t bytes, bool consistent);
double write_units(size_t bytes);

// Adds to the consumed units of the table, or of an index of its description.
void count_consumed(const TableVersion& table, const IndexDescription* index, UnitKind kind, double units);

// The capacity consumed by a request, by table and index.
class CapacityMeter {
 public:
  // A transaction counts twice on the table, and once on its indexes.
  CapacityMeter(std::string_view table_name, ReturnConsumedCapacity detail, CapacityKind kind = CapacityKind::kPlain);
  // From now on, added units are also charged to the throughput of the table and its indexes, and counted as consumed.
  // `table` must outlive the meter, and the indexes passed to add_index() must be those of its description.
  void charge_to(ThroughputMeter& throughput, const TableVersion& table, UnitKind kind);
  void add_table(double units);
  // Indexes that consumed no capacity are omitted.
  void add_index(const IndexDescription& index, double units);
  // Adds the bytes that a write has put into a vector index. They are not counted in units.
  void add_vector_index(std::string_view name, double request_bytes);
  // Nothing if the request did not ask for consumed capacity.
  std::optional<ConsumedCapacity> consumed() const;

 private:
  ConsumedCapacity capacity_;
  double table_factor_ = 1;
  ThroughputMeter* throughput_ = nullptr;  // null: the table has no limits, or nothing is charged
  const TableVersion* table_ = nullptr;    // null: nothing is charged
  UnitKind kind_ = UnitKind::kRead;
};

}  // namespace trestle
