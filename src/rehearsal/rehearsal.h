// A rehearsal: every operation of a design is called, on a database in memory and through the runtime that serves it,
// and the items are verified after each. What a static check cannot see (a request that DynamoDB refuses, a figure that
// does not come down) shows here, as findings T701 to T704 (docs/checks.md).
//
// Deterministic but for ids that operations make. Nothing outside the process is read or written. Who may call
// (`allow`) is not part of it, and neither are the endpoints of reactions.
#pragma once

#include <vector>

#include "design/check/finding.h"
#include "design/language/design.h"

namespace trestle::rehearsal {

// The design must have been read without mistakes, and its checks must have found no error.
std::vector<design::Finding> rehearse(const design::Design& design);

}  // namespace trestle::rehearsal
