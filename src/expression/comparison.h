// How values compare in conditions. Every function is false when an operand is absent or of the wrong type.
#pragma once

#include "model/value.h"

namespace trestle {

// Both S or both B.
bool begins_with(ValueView value, ValueView prefix);
// A substring of an S or B, a member of a set, an element of a list.
bool contains(ValueView container, ValueView member);
// All three have the same scalar type, and lower <= value <= upper.
bool is_between(ValueView value, ValueView lower, ValueView upper);

}  // namespace trestle
