// Computes the inputs of an operation that a reaction calls. Pure.
#pragma once

#include "runtime/expressions/scope.h"

namespace trestle::runtime {

// An input that `with` binds has that value. For `do`, any other input is the item's field of the same name, or else
// the scope's name (such as `event`). For `then`, which records an outcome, the scope's names come first, so that
// `status` is the status of the outcome. The scope must have names, `old` and `new`; an item that does not exist is an
// absent value.
Plain reaction_inputs(const design::Reaction& reaction, const design::Operation& operation, const Scope& scope);

}  // namespace trestle::runtime
