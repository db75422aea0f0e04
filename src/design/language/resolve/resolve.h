// Looks up every name of a design that has been read from text: what is named must exist, and a word that is a value of
// an enum becomes that value. Adds what it does not find to `findings` (T003, T004).
#pragma once

#include "design/language/design.h"
#include "design/language/finding.h"

namespace trestle::design {

void resolve_names(Design& design, Findings& findings);

}  // namespace trestle::design
