// Capacity units by AWS's rules. A write unit covers 1 KB of an item; a read unit covers 4 KB read consistently, or 8
// KB read eventually consistently. A transaction doubles the units of its tables. Every changed index entry is a
// separate write, which a transaction does not double.
//
// Each figure has three values: best (smallest items, shortest path), typical (the sizes that the design declares) and
// worst (largest items, longest path).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "design/language/design.h"

namespace trestle::design {

// For the typical figure: the number of items on a page if the design does not declare it.
inline constexpr double kPageItemsTypical = 20;

// For the typical figure: the number of iterations of a loop if the design does not declare it.
inline constexpr double kLoopTypical = 3;

struct Units {
  double best = 0, typical = 0, worst = 0;
  Units& operator+=(const Units& other);
  friend Units operator+(Units a, const Units& b) { return a += b; }
  friend Units operator*(Units a, double factor) { return {a.best * factor, a.typical * factor, a.worst * factor}; }
  bool is_zero() const { return best == 0 && typical == 0 && worst == 0; }
  friend bool operator==(const Units&, const Units&) = default;
};

struct IndexUnits {
  std::string table, index;
  Units write;
};

struct Cost {
  Units read, write;
  std::vector<IndexUnits> indexes;  // part of `write`
  Cost& operator+=(const Cost& other);
  friend Cost operator*(const Cost& cost, double factor);
  // The cost of one of two alternatives: the typical cost of `a`, the lower best and the higher worst.
  static Cost either(const Cost& a, const Cost& b);
  // The cost of something that is usually not executed: best and typical become 0.
  static Cost perhaps(Cost cost);
};

struct Bytes {
  int64_t least = 0, typical = 0, most = 0;
};

// The size of an entity's item: `size` if declared, otherwise computed from its fields.
Bytes item_bytes(const Design& design, const Entity& entity);
Bytes guard_bytes(const Design& design, const Entity& entity, const Guard& guard);
// The size of the entity's entry in the index.
Bytes entry_bytes(const Design& design, const Entity& entity, const Index& index);
Bytes field_bytes(const Design& design, const FieldType& type);

Units read_units(const Bytes& bytes, bool consistent);
Units write_units(const Bytes& bytes);

// How a write affects an index entry.
enum class EntryChange {
  kNone,            // no attribute in the index changes
  kAddedOrRemoved,  // the entry is added or removed: one write
  kCopied,          // projected attributes change: one write
  kMoved,           // its key changes: the old entry is deleted and the new one put, two writes
  kMayMove,         // the entry moves if the new value differs
};

}  // namespace trestle::design
