// What follows from fields that an item lacks.
//
// An upsert and a tally write an item without knowing it. Of a field that they neither know nor write, a new item has
// nothing; so an index entry or an expiry that needs the field belongs to items that were there before, and is left
// alone. Pure. A negative answer may be wrong, a positive one never is.
#pragma once

#include <set>
#include <string>

#include "design/language/design.h"

namespace trestle::design {

// Whether the expression has no value if the item lacks these fields.
bool lacks_value(const Expression& value, const std::set<std::string>& absent);
// Whether the condition does not hold then.
bool cannot_hold(const Expression& condition, const std::set<std::string>& absent);
// Whether the item then has no such entry.
bool lacks_entry(const Entity& entity, const IndexEntry& entry, const std::set<std::string>& absent);

}  // namespace trestle::design
