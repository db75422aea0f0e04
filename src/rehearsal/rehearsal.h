// A rehearsal calls every operation of a design, through the real runtime on an in-memory database, and verifies the
// items. It finds what a static check cannot, such as a request that DynamoDB rejects or a figure that is not
// decreased, and reports it as findings T701 to T704 (docs/checks.md). It first makes chosen calls of each operation
// (rehearsal/calls.h), then random calls in random order (rehearsal/random_inputs.h) from a fixed seed.
//
// Deterministic except for ids that operations generate. Nothing outside the process is read or written. Permissions
// (`allow`) and the endpoints of reactions are not tested.
#pragma once

#include <cstddef>
#include <vector>

#include "design/language/design.h"
#include "design/language/finding.h"

namespace trestle::rehearsal {

inline constexpr size_t kRandomCalls = 1000;

// The design must have been read without mistakes and checked without errors.
std::vector<design::Finding> rehearse(const design::Design& design, size_t random_calls = kRandomCalls);

}  // namespace trestle::rehearsal
