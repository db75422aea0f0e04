// Decides what a new item cannot have because it lacks certain fields.
//
// An upsert or a tally writes an item without reading it. If the item is new, it lacks every field that the write
// neither sets nor knows, so it has no index entry and no expiry that depends on such a field. Such an entry or expiry
// can only belong to an existing item, and the write leaves it alone.
//
// Pure. `true` is always right; `false` may mean "not known".
#pragma once

#include <set>
#include <string>

#include "design/language/design.h"

namespace trestle::design {

// Whether the expression has no value if the item lacks the fields in `absent`.
bool lacks_value(const Expression& value, const std::set<std::string>& absent);
// Whether the condition is false if the item lacks those fields.
bool cannot_hold(const Expression& condition, const std::set<std::string>& absent);
// Whether the item has no such entry if it lacks those fields.
bool lacks_entry(const Entity& entity, const IndexEntry& entry, const std::set<std::string>& absent);

}  // namespace trestle::design
