// The capacity units that a design's operations have consumed since the start, by operation, table and index, for
// /metrics.
//
// The figures are those in responses (ReturnConsumedCapacity), so they are the same on every Database. All labels are
// known from the design, so add() takes no lock. Thread-safe.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "design/language/design.h"
#include "model/parameters.h"

namespace trestle::runtime {

class OperationUnits {
 public:
  // The design must outlive this object, and its operations must not be moved.
  explicit OperationUnits(const design::Design& design);

  enum class Kind { kRead, kWrite };
  void add(const design::Operation& operation, Kind kind, const ConsumedCapacity& consumed);

  struct Figure {
    std::string_view operation;
    std::string_view table;
    std::string_view index;  // empty: the table itself
    double read = 0;
    double write = 0;
  };
  // Visits the figures that are not zero.
  void each(const std::function<void(const Figure&)>& visit) const;

 private:
  struct Place {
    std::string table;
    std::string index;
  };
  // In half units, the smallest amount that a request consumes.
  struct Halves {
    std::atomic<uint64_t> read{0};
    std::atomic<uint64_t> write{0};
  };
  void add(const design::Operation& operation, Kind kind, std::string_view table, std::string_view index, double units);
  size_t place_of(std::string_view table, std::string_view index) const;

  const design::Design& design_;
  std::vector<Place> places_;          // the last one stands for all tables that the design does not name
  std::unique_ptr<Halves[]> figures_;  // by operation, then by place
};

}  // namespace trestle::runtime
