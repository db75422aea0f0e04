// Resolves every name in a design that has been read from text. References must exist, and a word that is a value of an
// enum becomes that value. Adds mistakes (T003, T004, T005) to `findings`.
#pragma once

#include "design/language/design.h"
#include "design/language/finding.h"

namespace trestle::design {

void resolve_names(Design& design, Findings& findings);

}  // namespace trestle::design
