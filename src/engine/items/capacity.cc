#include "engine/items/capacity.h"

#include <algorithm>

#include "base/check.h"
#include "model/limits.h"
#include "storage/cached_reads.h"

namespace trestle {

double read_units(size_t bytes, bool consistent) {
  const size_t units = std::max<size_t>(1, (bytes + kReadUnitBytes - 1) / kReadUnitBytes);
  return static_cast<double>(units) * (consistent ? 1.0 : 0.5);
}

double write_units(size_t bytes) {
  return static_cast<double>(std::max<size_t>(1, (bytes + kWriteUnitBytes - 1) / kWriteUnitBytes));
}

CapacityMeter::CapacityMeter(std::string_view table_name, ReturnConsumedCapacity detail, CapacityKind kind)
    : table_factor_(kind == CapacityKind::kPlain ? 1 : 2) {
  capacity_.detail = detail;
  capacity_.kind = kind;
  if (detail != ReturnConsumedCapacity::kNone) capacity_.table_name = table_name;
}

void count_consumed(const TableVersion& table, const IndexDescription* index, UnitKind kind, double units) {
  CachedReads::allow_waiting();
  KeyspaceCounts* counts = table.counts.get();
  if (index != nullptr) {
    const auto place = static_cast<size_t>(index - table.description.indexes.data());
    CHECK(place < table.index_counts.size());
    counts = table.index_counts[place].get();
  }
  kind == UnitKind::kRead ? counts->consumed.add_read(units) : counts->consumed.add_write(units);
}

void CapacityMeter::charge_to(ThroughputMeter& throughput, const TableVersion& table, UnitKind kind) {
  table_ = &table;
  kind_ = kind;
  if (throughput.applies_to(table.description)) throughput_ = &throughput;
}

void CapacityMeter::add_table(double units) {
  units *= table_factor_;
  capacity_.table += units;
  if (units == 0 || table_ == nullptr) return;
  count_consumed(*table_, nullptr, kind_, units);
  if (throughput_ != nullptr) throughput_->charge(table_->description, nullptr, kind_, units);
}

void CapacityMeter::add_index(const IndexDescription& index, double units) {
  if (table_ != nullptr && units != 0) {
    count_consumed(*table_, &index, kind_, units);
    if (throughput_ != nullptr) throughput_->charge(table_->description, &index, kind_, units);
  }
  if (units == 0 || capacity_.detail == ReturnConsumedCapacity::kNone) return;
  auto& indexes = index.global ? capacity_.global_indexes : capacity_.local_indexes;
  const auto it =
      std::find_if(indexes.begin(), indexes.end(), [&](const auto& entry) { return entry.first == index.name; });
  if (it != indexes.end()) {
    it->second += units;
  } else {
    indexes.emplace_back(index.name, units);
  }
}

void CapacityMeter::add_vector_index(std::string_view name, double request_bytes) {
  if (capacity_.detail != ReturnConsumedCapacity::kIndexes) return;
  auto& indexes = capacity_.vector_indexes;
  const auto it = std::find_if(indexes.begin(), indexes.end(), [&](const auto& entry) { return entry.first == name; });
  if (it != indexes.end()) {
    it->second += request_bytes;
  } else {
    indexes.emplace_back(name, request_bytes);
  }
}

std::optional<ConsumedCapacity> CapacityMeter::consumed() const {
  if (capacity_.detail == ReturnConsumedCapacity::kNone) return std::nullopt;
  ConsumedCapacity consumed = capacity_;
  consumed.total = consumed.table;
  for (const auto* indexes : {&consumed.local_indexes, &consumed.global_indexes}) {
    for (const auto& [name, units] : *indexes) consumed.total += units;
  }
  return consumed;
}

}  // namespace trestle
