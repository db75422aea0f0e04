// Evaluates expressions of a design over plain values: values (`created_at + 1h`), conditions (`$site.status = active`)
// and results (`sum(items.count)`), with all functions in docs/designs.md.
//
// Pure, except for functions like ulid() and token(), which need random bytes. The result of arithmetic with an absent
// value is absent. A comparison with one is false, except that an absent attribute, or arithmetic of one, `<>` every
// value. Times compare as times, in whatever notation; texts that look like times, but that no type declares to be
// times, compare as text.
#pragma once

#include "design/language/expression.h"
#include "runtime/expressions/scope.h"
#include "runtime/values/refusal.h"

namespace trestle::runtime {

// Fails (400) only if a value cannot be computed from the caller's inputs: a date out of range, text as a number.
Outcome<Plain> evaluate(const design::Expression& expression, const Scope& scope);
Outcome<bool> holds(const design::Expression& condition, const Scope& scope);

}  // namespace trestle::runtime
