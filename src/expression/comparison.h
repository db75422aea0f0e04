// Compares values in conditions. Every function returns false if an operand is absent or has the wrong type.
#pragma once

#include "model/value.h"

namespace trestle {

// Both must be S, or both B.
bool begins_with(ValueView value, ValueView prefix);
// Tests for a substring of an S or B, a member of a set, or an element of a list.
bool contains(ValueView container, ValueView member);
// True if all three have the same scalar type and lower <= value <= upper.
bool is_between(ValueView value, ValueView lower, ValueView upper);

}  // namespace trestle
