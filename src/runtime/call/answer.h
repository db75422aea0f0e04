// Composes the answer of a call: the value of `returns`, or the item or items that were read or written. Pure.
#pragma once

#include "runtime/requests/call_state.h"
#include "runtime/runtime.h"
#include "runtime/values/refusal.h"

namespace trestle::runtime {

// `names` are the names of the state; their secret fields do not reach the answer. If the state has a written item, its
// fields must be known.
Outcome<CallReply> compose_answer(const design::Operation& operation, const CallState& state, Names names,
                                  const Plain& caller);

}  // namespace trestle::runtime
