// The parts that pieces of a write's expressions are made of: values and pieces without a choice. Internal to the
// planner.
#pragma once

#include "design/plan/plan.h"

namespace trestle::design {

// A time as the TTL attribute stores it.
ValueSource expiry_of(Expression time);
// A number that is no value of a field: an amount, a bound.
ValueSource amount_of(Expression amount);
// A piece with one form.
Piece piece_of(Form form, Cause cause = Cause::kCondition);

}  // namespace trestle::design
