// Capacity units that requests on a table or index have consumed since the start, for /metrics. Not on disk.
//
// Adding is one relaxed atomic addition to a cell that few other threads use. The first addition allocates the cells,
// so an unused table costs one pointer. Thread-safe.
#pragma once

#include <array>
#include <atomic>
#include <cmath>
#include <cstdint>

#include "base/thread_number.h"

namespace trestle {

class ConsumedUnits {
 public:
  ConsumedUnits() = default;
  ~ConsumedUnits() { delete cells_.load(); }
  ConsumedUnits(const ConsumedUnits&) = delete;
  ConsumedUnits& operator=(const ConsumedUnits&) = delete;

  void add_read(double units) { add(&Cell::read, units); }
  void add_write(double units) { add(&Cell::write, units); }
  double read() const { return sum(&Cell::read); }
  double write() const { return sum(&Cell::write); }

 private:
  // Counts half units, the smallest amount that a request consumes.
  struct alignas(64) Cell {
    std::atomic<uint64_t> read{0};
    std::atomic<uint64_t> write{0};
  };
  using Cells = std::array<Cell, 16>;

  void add(std::atomic<uint64_t> Cell::* figure, double units) {
    Cells* cells = cells_.load(std::memory_order_acquire);
    if (cells == nullptr) [[unlikely]]
      cells = allocate();
    const auto halves = static_cast<uint64_t>(std::llround(units * 2));
    ((*cells)[thread_number() % cells->size()].*figure).fetch_add(halves, std::memory_order_relaxed);
  }
  Cells* allocate() {
    auto* result = new Cells();
    Cells* first = nullptr;
    if (cells_.compare_exchange_strong(first, result)) return result;
    delete result;
    return first;
  }
  double sum(std::atomic<uint64_t> Cell::* figure) const {
    const Cells* cells = cells_.load(std::memory_order_acquire);
    uint64_t halves = 0;
    if (cells != nullptr) {
      for (const Cell& cell : *cells) halves += (cell.*figure).load(std::memory_order_relaxed);
    }
    return static_cast<double>(halves) / 2;
  }

  std::atomic<Cells*> cells_{nullptr};
};

}  // namespace trestle
