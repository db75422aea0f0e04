// The inputs of an operation that a reaction calls. Pure.
#pragma once

#include "runtime/expressions/scope.h"

namespace trestle::runtime {

// Each input is what `with` says. Of `do`, the others are the item's fields, else what has the input's name in the
// scope (`event`). Of `then` it is the other way round: it records an outcome, so `status` is the outcome's.
// The scope has the names, `old` and `new`; an absent item is an absent value.
Plain reaction_inputs(const design::Reaction& reaction, const design::Operation& operation, const Scope& scope);

}  // namespace trestle::runtime
