// What an expression of a design says of a sample item. Only what designs use to say when items expire and which of
// them an index holds; the runtime evaluates the whole language.
#pragma once

#include <cstdint>
#include <optional>

#include "design/language/design.h"

namespace trestle::design {

// The time that `e` says for an item with these fields: `created_at + 1h`, `now`, `at + choose(severity, 'low', 1d)`.
// Nothing if a sample cannot tell.
std::optional<int64_t> sample_seconds(const Expression& e, const Entity& entity, const FieldValues& values,
                                      int64_t now_s);
// Whether a condition holds. What samples cannot tell counts as true.
bool sample_holds(const Expression& e, const FieldValues& values);

}  // namespace trestle::design
