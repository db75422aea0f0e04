// The Query that finds the least or greatest value of the items that a tally counts into one target. Its first item has
// it, or with `when` the first for which that holds: the table's key or an index lists exactly those items in the order
// of the value.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "design/language/design.h"
#include "design/plan/plan.h"

namespace trestle::design {

struct ExtremeRead {
  const Index* index = nullptr;  // null: the table itself
  const KeySchema* schema = nullptr;
  const std::vector<Template>* key = nullptr;  // the entity's, or its entry's in the index
  size_t at = 0;    // the place in `key` of the template that contains the value; those before it are known
  Template prefix;  // its part before the value; empty: nothing
  bool consistent = false;
};

// Whether the figure only ever becomes more extreme: its field is `min<T>` or `max<T>`.
bool never_comes_back(const Design& design, const Tally& tally, const TallyExtreme& extreme);
// Whether a tally keeps an exact least or greatest value in the entity's items.
bool has_exact_extremes(const Design& design, const Entity& into);
// The field that counts the writes of an item; null: there is none.
const Field* revision_of(const Entity& entity);

// The table is preferred to a local index, and that to a global one. Nothing: no key lists the items so.
std::optional<ExtremeRead> extreme_read(const Design& design, const Tally& tally, const TallyExtreme& extreme);

// The same as a planned request, over the fields of `$old`, the item that goes. `left_out` is how many of the items
// that it lists are not counted any more. Nothing: no key lists the items so.
std::optional<Request> extreme_query(const Design& design, const Tally& tally, const TallyExtreme& extreme,
                                     size_t left_out);

}  // namespace trestle::design
