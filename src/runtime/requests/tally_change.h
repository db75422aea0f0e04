// The effect of an item's change on the figures that count it, by target item: the amounts to add, and for figures that
// are least or greatest values, the item's values before and after the change.
//
// A figure is a counter of the target, or a member of one of its maps. The amounts of the old item are subtracted,
// those of the new one added; if both concern the same figure, only the difference remains, or nothing if it is 0.
// Pure except for the shard counts of targets. Thread-safe.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "runtime/items/item_form.h"
#include "runtime/requests/extreme_change.h"

namespace trestle::runtime {

// The field of a counter, or the field of a map and the name of a member.
struct Figure {
  std::string field;
  std::string member;  // empty: the field itself
  friend auto operator<=>(const Figure&, const Figure&) = default;
};

// Changes of the values whose least or greatest is a figure. For each counted item, by key: its value before the first
// change and after the last. For a figure that never comes back (it keeps the most extreme value ever), a single row
// with an empty key holds the most extreme new value.
struct ExtremeFigure {
  const design::Tally* tally = nullptr;
  const design::TallyExtreme* extreme = nullptr;
  bool never_comes_back = false;
  struct Row {
    std::optional<Value> before, after;
  };
  std::map<std::string, Row> rows;

  // Adds later changes.
  void follow(const ExtremeFigure& later);
  ExtremeChange change() const;
};

struct TallyTarget {
  const design::Entity* entity = nullptr;
  Plain fields;  // of the key
  Item key;
  std::map<Figure, std::string> amounts;          // canonical numbers
  std::map<std::string, ExtremeFigure> extremes;  // by field
  // Least and greatest values to be set by a repair; nothing: the figure is removed.
  std::map<std::string, std::optional<Value>> assigned;
  // Whether an item added to the figures before the changes, and whether it does after them. By key of the counted
  // item.
  struct Contribution {
    bool before = false, after = false;
    bool began = false;  // one of the changes began it, even if a later one ended it
  };
  std::map<std::string, Contribution> contributions;
  std::string fault;      // why the amounts are incomplete: a sum is not a valid number; empty: they are complete
  int64_t newest_ms = 0;  // recounts: lower bound of the last write to the counted items

  // Whether an item that was not counted before is counted now. Otherwise the target already existed when its items
  // were counted, and if it is gone, it must not be created again for what remains of them.
  bool gains_item() const;
  // Whether an item was counted for the first time, even if it no longer is. It counts for a figure that never comes
  // back.
  bool gained_item() const;
};

// By table and key.
using TallyTargets = std::map<std::string, TallyTarget>;

// The fields of an item that tallies need. Packed, spilled and sealed fields are opened only if a tally uses one.
Outcome<Plain> counted_fields(const design::Design& design, const ItemCodec& codec, const design::Entity& entity,
                              ItemView item);

class TallyChange {
 public:
  TallyChange(const design::Design& design, ItemForm& form) : design_(design), form_(form) {}

  // Adds to `targets` what an item of entity `of` with these fields counts, times `sign` (1 or -1). `row` is the item's
  // key. With `all`, includes the tallies that are updated in the writer's transaction, for a recount.
  Outcome<void> add(const design::Entity& of, const Plain& fields, const std::string& row, int sign, bool all,
                    int64_t now_ms, TallyTargets& targets) const;
  // The target in which the tally counts an item with these fields, without figures. Nothing: it is not counted.
  Outcome<std::optional<TallyTarget>> target_of(const design::Tally& tally, const Plain& fields, int64_t now_ms) const;
  // Adds the amounts for the same target. If a sum is not a valid number, sets the target's fault.
  static void add_amounts(TallyTarget& to, const TallyTarget& more);
  // Removes amounts of 0 and unchanged rows, and then targets that have neither figures nor a fault. A target that
  // gains an item is kept, with amounts of 0 if it has no others: when the item goes, its amounts are subtracted only
  // if the target exists.
  static void simplify(TallyTargets& targets);

 private:
  Outcome<void> count(const design::Tally& tally, const Plain& fields, const std::string& row, int sign, int64_t now_ms,
                      TallyTargets& targets) const;

  const design::Design& design_;
  ItemForm& form_;
};

}  // namespace trestle::runtime
