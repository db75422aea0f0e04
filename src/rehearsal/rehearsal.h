// A rehearsal: calls every operation of a design, on a database in memory and through the runtime that serves it, and
// verifies the items. It finds what a static check cannot (a request that DynamoDB rejects, a figure that does not
// decrease) and reports it as findings T701 to T704 (docs/checks.md). First come chosen inputs for each operation
// (rehearsal/calls.h), then random calls in random order (rehearsal/random_inputs.h), from a fixed seed.
//
// Deterministic except for ids that operations generate. Nothing outside the process is read or written. Permissions
// (`allow`) are not tested, and neither are the endpoints of reactions.
#pragma once

#include <cstddef>
#include <vector>

#include "design/language/design.h"
#include "design/language/finding.h"

namespace trestle::rehearsal {

inline constexpr size_t kRandomCalls = 1000;

// The design must have been read without mistakes, and its checks must have found no error.
std::vector<design::Finding> rehearse(const design::Design& design, size_t random_calls = kRandomCalls);

}  // namespace trestle::rehearsal
