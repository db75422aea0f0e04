// The effect of a change of an item on the figures that count it: amounts to add, by target item.
//
// A figure is a counter of the target, or a member of one of its maps. The amounts of the old item are subtracted,
// those of the new one added; if both concern the same figure only the difference remains, and nothing if that is 0.
// Pure except for the shard counts of targets. Thread-safe.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "runtime/call/item_form.h"

namespace trestle::runtime {

// The field of a counter, or of a map and the name of its member.
struct Figure {
  std::string field;
  std::string member;  // empty: the field itself
  friend auto operator<=>(const Figure&, const Figure&) = default;
};

struct TallyTarget {
  const design::Entity* entity = nullptr;
  Plain fields;  // of the key
  Item key;
  std::map<Figure, std::string> amounts;  // canonical numbers, never 0
  int64_t newest_ms = 0;                  // recounts: lower bound of the last write to the counted items
};

// By table and key.
using TallyTargets = std::map<std::string, TallyTarget>;

// The fields of an item as tallies see them: those that are packed, spilled or sealed are opened if a tally uses one.
Outcome<Plain> counted_fields(const design::Design& design, const ItemCodec& codec, const design::Entity& entity,
                              ItemView item);

class TallyChange {
 public:
  TallyChange(const design::Design& design, ItemForm& form) : design_(design), form_(form) {}

  // Adds what these fields of an `of` are counted as, `sign` times (1 or -1). `all`: tallies in the writer's
  // transaction too, for a recount.
  Outcome<void> add(const design::Entity& of, const Plain& fields, int sign, bool all, int64_t now_ms,
                    TallyTargets& targets) const;
  // Leaves out amounts of 0, and then targets without amounts.
  static void simplify(TallyTargets& targets);

 private:
  Outcome<void> count(const design::Tally& tally, const Plain& fields, int sign, int64_t now_ms,
                      TallyTargets& targets) const;

  const design::Design& design_;
  ItemForm& form_;
};

}  // namespace trestle::runtime
