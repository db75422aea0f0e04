// The expressions of a write: the clauses of its chosen forms, and of what is written besides them, joined once.
//
// Several clauses of one expression may come from the same piece of the plan, so each source after the first has its
// placeholders numbered: "#count_part1". No text of the plan is searched or changed here: where its placeholders are
// was determined when the plan was prepared (PlaceholderText).
#pragma once

#include "runtime/requests/request_parts.h"
#include "runtime/requests/write_action.h"
#include "runtime/values/refusal.h"

namespace trestle::runtime {

// Sets update, condition and placeholders of the action from its chosen forms, its members of maps, the attributes that
// must be unchanged, the caller's additional attributes, and its parts.
Outcome<void> set_expressions(const RequestParts& parts, WriteAction& action);

}  // namespace trestle::runtime
