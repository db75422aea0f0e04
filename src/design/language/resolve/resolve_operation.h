// Internal to the resolver: resolves the names in an operation. Each step adds names that later steps can use.
#pragma once

#include <vector>

#include "design/language/resolve/resolve_expression.h"

namespace trestle::design {

// Resolves bindings of fields of `entity`, which is null if unknown.
void resolve_bindings(std::vector<Binding>& bindings, const Entity* entity, NameResolver& resolver, Findings& findings);
// Precondition: the entities of the design have been resolved.
void resolve_operation(Operation& operation, const Design& design, Findings& findings);

}  // namespace trestle::design
