#include "engine/items/capacity.h"

#include <algorithm>

namespace trestle {

double read_units(size_t bytes, bool consistent) {
  const size_t units = std::max<size_t>(1, (bytes + 4095) / 4096);
  return static_cast<double>(units) * (consistent ? 1.0 : 0.5);
}

double write_units(size_t bytes) { return static_cast<double>(std::max<size_t>(1, (bytes + 1023) / 1024)); }

CapacityMeter::CapacityMeter(std::string_view table_name, ReturnConsumedCapacity detail, CapacityKind kind)
    : table_factor_(kind == CapacityKind::kPlain ? 1 : 2) {
  capacity_.detail = detail;
  capacity_.kind = kind;
  if (detail != ReturnConsumedCapacity::kNone) capacity_.table_name = table_name;
}

void CapacityMeter::charge_to(ThroughputMeter& throughput, const TableDescription& table, UnitKind kind) {
  if (!throughput.applies_to(table)) return;
  throughput_ = &throughput;
  table_ = &table;
  kind_ = kind;
}

void CapacityMeter::add_table(double units) {
  units *= table_factor_;
  capacity_.table += units;
  if (throughput_ != nullptr) throughput_->charge(*table_, nullptr, kind_, units);
}

void CapacityMeter::add_index(const IndexDescription& index, double units) {
  if (throughput_ != nullptr && units != 0) throughput_->charge(*table_, &index, kind_, units);
  if (units == 0 || capacity_.detail == ReturnConsumedCapacity::kNone) return;
  auto& indexes = index.global ? capacity_.global_indexes : capacity_.local_indexes;
  const auto it =
      std::find_if(indexes.begin(), indexes.end(), [&](const auto& told) { return told.first == index.name; });
  if (it != indexes.end()) {
    it->second += units;
  } else {
    indexes.emplace_back(index.name, units);
  }
}

void CapacityMeter::add_vector_index(std::string_view name, double request_bytes) {
  if (capacity_.detail != ReturnConsumedCapacity::kIndexes) return;
  auto& indexes = capacity_.vector_indexes;
  const auto it = std::find_if(indexes.begin(), indexes.end(), [&](const auto& told) { return told.first == name; });
  if (it != indexes.end()) {
    it->second += request_bytes;
  } else {
    indexes.emplace_back(name, request_bytes);
  }
}

std::optional<ConsumedCapacity> CapacityMeter::told() const {
  if (capacity_.detail == ReturnConsumedCapacity::kNone) return std::nullopt;
  ConsumedCapacity told = capacity_;
  told.total = told.table;
  for (const auto* indexes : {&told.local_indexes, &told.global_indexes}) {
    for (const auto& [name, units] : *indexes) told.total += units;
  }
  return told;
}

}  // namespace trestle
