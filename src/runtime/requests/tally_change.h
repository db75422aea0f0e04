// The effect of a change of an item on the figures that count it, by target item: amounts to add, and the values of the
// item before and after the change for figures that are least or greatest values.
//
// A figure is a counter of the target, or a member of one of its maps. The amounts of the old item are subtracted,
// those of the new one added; if both concern the same figure only the difference remains, and nothing if that is 0.
// Pure except for the shard counts of targets. Thread-safe.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "runtime/items/item_form.h"
#include "runtime/requests/extreme_change.h"

namespace trestle::runtime {

// The field of a counter, or of a map and the name of its member.
struct Figure {
  std::string field;
  std::string member;  // empty: the field itself
  friend auto operator<=>(const Figure&, const Figure&) = default;
};

// Changes of the values whose least or greatest is a figure: by the key of the counted item, its value before the first
// change and after the last. Of a figure that never comes back, only the most extreme value there was, by no key.
struct ExtremeFigure {
  const design::Tally* tally = nullptr;
  const design::TallyExtreme* extreme = nullptr;
  bool never_comes_back = false;
  struct Row {
    std::optional<Value> was, is;
  };
  std::map<std::string, Row> rows;

  // Adds changes that came later.
  void follow(const ExtremeFigure& later);
  ExtremeChange change() const;
};

struct TallyTarget {
  const design::Entity* entity = nullptr;
  Plain fields;  // of the key
  Item key;
  std::map<Figure, std::string> amounts;          // canonical numbers, never 0
  std::map<std::string, ExtremeFigure> extremes;  // by field
  // Least and greatest values as verification found them to be; nothing: the figure is removed.
  std::map<std::string, std::optional<Value>> assigned;
  std::string fault;      // why the amounts are not all: a sum that is no number; empty: they are
  int64_t newest_ms = 0;  // recounts: lower bound of the last write to the counted items
};

// By table and key.
using TallyTargets = std::map<std::string, TallyTarget>;

// The fields of an item as tallies see them: those that are packed, spilled or sealed are opened if a tally uses one.
Outcome<Plain> counted_fields(const design::Design& design, const ItemCodec& codec, const design::Entity& entity,
                              ItemView item);

class TallyChange {
 public:
  TallyChange(const design::Design& design, ItemForm& form) : design_(design), form_(form) {}

  // Adds what these fields of an `of` are counted as, `sign` times (1 or -1). `row` is the item's key. `all`: tallies
  // in the writer's transaction too, for a recount.
  Outcome<void> add(const design::Entity& of, const Plain& fields, const std::string& row, int sign, bool all,
                    int64_t now_ms, TallyTargets& targets) const;
  // The target that the tally counts these fields in, without figures; nothing: they are not counted.
  Outcome<std::optional<TallyTarget>> target_of(const design::Tally& tally, const Plain& fields, int64_t now_ms) const;
  // Adds amounts of the same target. A sum that is no number is its fault.
  static void add_amounts(TallyTarget& to, const TallyTarget& more);
  // Leaves out amounts of 0, and then targets without amounts or fault.
  static void simplify(TallyTargets& targets);

 private:
  Outcome<void> count(const design::Tally& tally, const Plain& fields, const std::string& row, int sign, int64_t now_ms,
                      TallyTargets& targets) const;

  const design::Design& design_;
  ItemForm& form_;
};

}  // namespace trestle::runtime
