// Evaluates expressions of a design for a sample item. Supports only the constructs that designs use for expiry and
// index membership; the runtime evaluates the whole language.
#pragma once

#include <cstdint>
#include <optional>

#include "design/language/design.h"

namespace trestle::design {

// The time that `e` gives for an item with these fields: `created_at + 1h`, `now`, `at + choose(severity, 'low', 1d)`.
// Nothing if a sample cannot determine it.
std::optional<int64_t> sample_seconds(const Expression& e, const Entity& entity, const FieldValues& values,
                                      int64_t now_s);
// Whether a condition holds. A condition that samples cannot decide counts as true.
bool sample_holds(const Expression& e, const FieldValues& values);

}  // namespace trestle::design
