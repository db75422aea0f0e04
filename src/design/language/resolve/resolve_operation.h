// Names in an operation: its inputs, its access, its steps with what each of them makes known to the next, its answer.
// Internal to the resolver.
#pragma once

#include <vector>

#include "design/language/resolve/resolve_expression.h"

namespace trestle::design {

// Bindings of fields of `entity`; null: it is not known.
void resolve_bindings(std::vector<Binding>& bindings, const Entity* entity, NameResolver& resolver, Findings& findings);
// The operation is one of the design's, whose entities have been resolved.
void resolve_operation(Operation& operation, const Design& design, Findings& findings);

}  // namespace trestle::design
