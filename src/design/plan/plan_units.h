// Capacity units by AWS's rules: a write unit is 1 KB of item, a read unit 4 KB read consistently, half of one if not;
// a transaction takes twice as many of its tables; every index entry that changes is a write of its own, and no dearer
// in a transaction.
//
// Three figures each: the smallest items and shortest way, the sizes that the design declares, the largest and longest.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "design/language/design.h"

namespace trestle::design {

// How many items a page is taken to have when nobody says, for the typical figure.
inline constexpr double kPageItemsTypical = 20;

// How often a loop goes round, likewise.
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
  // As it is, or not at all.
  static Cost perhaps(Cost cost);
};

struct Bytes {
  int64_t least = 0, typical = 0, most = 0;
};

// The size of an entity's item: `size` where declared; otherwise from its fields.
Bytes item_bytes(const Design& design, const Entity& entity);
Bytes guard_bytes(const Design& design, const Entity& entity, const Guard& guard);
// What an index copies of it.
Bytes entry_bytes(const Design& design, const Entity& entity, const Index& index);
Bytes field_bytes(const Design& design, const FieldType& type);

Units read_units(const Bytes& bytes, bool consistent);
Units write_units(const Bytes& bytes);

// How an index entry fares in a write.
enum class EntryChange {
  kNone,     // nothing that the index holds changes
  kMade,     // the item comes or goes: one write
  kCopied,   // copied attributes change: one write
  kMoved,    // its key changes: the old is deleted and the new put, two writes
  kPerhaps,  // it may move, if the value given differs
};

}  // namespace trestle::design
