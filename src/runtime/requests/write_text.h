// Builds the expressions of a write from the clauses of its chosen forms and of everything else it writes.
//
// Several clauses of one expression may come from the same piece of the plan, so the placeholders of every source after
// the first get a suffix: "#count_part1". The positions of the placeholders were determined when the plan was prepared
// (PlaceholderText), so no text is searched here.
#pragma once

#include "runtime/requests/request_parts.h"
#include "runtime/requests/write_action.h"
#include "runtime/values/refusal.h"

namespace trestle::runtime {

// Sets the update, condition and placeholders of the action from its chosen forms, its map members, the attributes that
// must be unchanged, the caller's additional attributes, and its parts.
Outcome<void> set_expressions(const RequestParts& parts, WriteAction& action);

}  // namespace trestle::runtime
