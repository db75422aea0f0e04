// Expressions of a design, evaluated over plain values: values (`created_at + 1h`), conditions (`$site.status =
// active`) and results (`sum(items.count)`), with every function that docs/designs.md names.
//
// Pure but for ulid(), token() and their like, which take fresh random bytes. Absent takes part in nothing: arithmetic
// with it is absent, a comparison with it false. Times compare as times, whichever way each side is written.
#pragma once

#include "design/language/expression.h"
#include "runtime/call/refusal.h"
#include "runtime/values/scope.h"

namespace trestle::runtime {

// Fails (400) only where a value cannot be computed from what the caller gave: a date out of range, text as a number.
Outcome<Plain> evaluate(const design::Expression& expression, const Scope& scope);
Outcome<bool> holds(const design::Expression& condition, const Scope& scope);

}  // namespace trestle::runtime
