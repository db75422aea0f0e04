// Capacity units by AWS's rules: a write unit is 1 KB of an item; a read unit is 4 KB read consistently, and half a
// unit otherwise; a transaction doubles the units of its tables; every changed index entry is a separate write, without
// doubling.
//
// Three figures each: the smallest items and shortest path, the sizes that the design declares, the largest and
// longest.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "design/language/design.h"

namespace trestle::design {

// The assumed number of items on a page if the design does not declare it, for the typical figure.
inline constexpr double kPageItemsTypical = 20;

// The assumed number of iterations of a loop, likewise.
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
  // The sum where both happen; where only one does, the least of the best and the greatest of the worst.
  static Cost either(const Cost& a, const Cost& b);
  // Once or not at all.
  static Cost perhaps(Cost cost);
};

struct Bytes {
  int64_t least = 0, typical = 0, most = 0;
};

// The size of an entity's item: `size` where declared; otherwise from its fields.
Bytes item_bytes(const Design& design, const Entity& entity);
Bytes guard_bytes(const Design& design, const Entity& entity, const Guard& guard);
// The size of its entry in the index.
Bytes entry_bytes(const Design& design, const Entity& entity, const Index& index);
Bytes field_bytes(const Design& design, const FieldType& type);

Units read_units(const Bytes& bytes, bool consistent);
Units write_units(const Bytes& bytes);

// How an index entry fares in a write.
enum class EntryChange {
  kNone,     // nothing that the index holds changes
  kMade,     // the entry is added or removed: one write
  kCopied,   // copied attributes change: one write
  kMoved,    // its key changes: the old is deleted and the new put, two writes
  kPerhaps,  // it moves if the new value differs
};

}  // namespace trestle::design
