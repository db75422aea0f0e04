// Builds values and single-form pieces for the expressions of a write. Internal to the planner.
#pragma once

#include "design/plan/plan.h"

namespace trestle::design {

class Namer;

// A time as stored in the TTL attribute.
ValueSource expiry_of(Expression time);
// A number that is not a value of a field, such as an amount or a bound.
ValueSource amount_of(Expression amount);
// The condition that the item has an attribute, and nothing else.
Form present_form(std::string_view attribute, Namer& namer);
// A piece with one form.
Piece piece_of(Form form, Cause cause = Cause::kCondition);

}  // namespace trestle::design
