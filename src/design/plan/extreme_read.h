// The Query that finds the least or greatest value among the items that a tally counts into one target. It uses the
// table's key or an index that lists exactly those items, ordered by the value. The answer is the first item, or, if
// the tally has a `when`, the first item for which `when` holds.
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
  const std::vector<Template>* key = nullptr;  // the entity's key, or that of its index entry
  size_t at = 0;    // the index in `key` of the template that contains the value; the templates before it are bound
  Template prefix;  // the part of that template before the value; may be empty
  bool consistent = false;
};

// Whether the figure only becomes more extreme, because its field is `min<T>` or `max<T>`.
bool never_comes_back(const Design& design, const Tally& tally, const TallyExtreme& extreme);
// Whether a tally maintains an exact least or greatest value in the entity's items.
bool has_exact_extremes(const Design& design, const Entity& into);
// The field that counts the writes of an item; null: there is none.
const Field* revision_of(const Entity& entity);

// Prefers the table, then local indexes, then global ones. Nothing if no key lists the items in that order.
std::optional<ExtremeRead> extreme_read(const Design& design, const Tally& tally, const TallyExtreme& extreme);

// The same as a planned request, bound to the fields of `$old`, the item being removed. `left_out`: how many of the
// listed items may no longer count. Nothing if no key lists the items in that order.
std::optional<Request> extreme_query(const Design& design, const Tally& tally, const TallyExtreme& extreme,
                                     size_t left_out);

}  // namespace trestle::design
