#include "runtime/sending/operation_units.h"

#include <algorithm>
#include <cmath>

#include "design/plan/plan.h"

namespace trestle::runtime {

OperationUnits::OperationUnits(const design::Design& design) : design_(design) {
  for (const design::Table& table : design.tables) {
    places_.push_back({table.name, ""});
    for (const design::Index& index : table.indexes) places_.push_back({table.name, index.name});
  }
  places_.push_back({std::string(design::kJournalTable), ""});
  places_.push_back({"other", ""});
  figures_ = std::make_unique<Halves[]>(design.operations.size() * places_.size());
}

size_t OperationUnits::place_of(std::string_view table, std::string_view index) const {
  for (size_t i = 0; i < places_.size(); ++i) {
    if (places_[i].table == table && places_[i].index == index) return i;
  }
  return places_.size() - 1;
}

void OperationUnits::add(const design::Operation& operation, Kind kind, std::string_view table, std::string_view index,
                         double units) {
  if (units <= 0) return;
  const auto row = static_cast<size_t>(&operation - design_.operations.data());
  if (row >= design_.operations.size()) return;  // not an operation of this design
  Halves& halves = figures_[row * places_.size() + place_of(table, index)];
  (kind == Kind::kRead ? halves.read : halves.write)
      .fetch_add(static_cast<uint64_t>(std::llround(units * 2)), std::memory_order_relaxed);
}

void OperationUnits::add(const design::Operation& operation, Kind kind, const ConsumedCapacity& consumed) {
  // A transaction that repeats a client request token consumes read capacity.
  if (consumed.kind == CapacityKind::kTransactionRead) kind = Kind::kRead;
  double indexes = 0;
  for (const auto* each : {&consumed.local_indexes, &consumed.global_indexes}) {
    for (const auto& [index, units] : *each) {
      add(operation, kind, consumed.table_name, index, units);
      indexes += units;
    }
  }
  // Some endpoints report only the total.
  add(operation, kind, consumed.table_name, "", std::max(consumed.table, consumed.total - indexes));
}

void OperationUnits::each(const std::function<void(const Figure&)>& visit) const {
  for (size_t row = 0; row < design_.operations.size(); ++row) {
    for (size_t i = 0; i < places_.size(); ++i) {
      const Halves& halves = figures_[row * places_.size() + i];
      const Figure figure{.operation = design_.operations[row].name,
                          .table = places_[i].table,
                          .index = places_[i].index,
                          .read = static_cast<double>(halves.read.load(std::memory_order_relaxed)) / 2,
                          .write = static_cast<double>(halves.write.load(std::memory_order_relaxed)) / 2};
      if (figure.read > 0 || figure.write > 0) visit(figure);
    }
  }
}

}  // namespace trestle::runtime
