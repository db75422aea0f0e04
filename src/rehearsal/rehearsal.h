// A rehearsal: calls every operation of a design, on a database in memory and through the runtime that serves it, and
// verifies the items after each call. It finds what a static check cannot (a request that DynamoDB rejects, a figure
// that does not decrease) and reports it as findings T701 to T704 (docs/checks.md).
//
// Deterministic except for ids that operations generate. Nothing outside the process is read or written. Permissions
// (`allow`) are not tested, and neither are the endpoints of reactions.
#pragma once

#include <vector>

#include "design/language/design.h"
#include "design/language/finding.h"

namespace trestle::rehearsal {

// The design must have been read without mistakes, and its checks must have found no error.
std::vector<design::Finding> rehearse(const design::Design& design);

}  // namespace trestle::rehearsal
