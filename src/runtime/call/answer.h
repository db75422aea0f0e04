// Composes the answer of a call: the expression of `returns`, or the item or items. Pure.
#pragma once

#include "runtime/requests/call_state.h"
#include "runtime/runtime.h"
#include "runtime/values/refusal.h"

namespace trestle::runtime {

// `names` are those of the state, of which secret fields are left out. If the state has a written item, its fields are
// known by now.
Outcome<CallReply> compose_answer(const design::Operation& operation, const CallState& state, Names names,
                                  const Plain& caller);

}  // namespace trestle::runtime
