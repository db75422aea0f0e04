// Operations on values used by updates. Each appends its result to a string.
#pragma once

#include <string>

#include "model/error.h"
#include "model/value.h"

namespace trestle {

enum class Arithmetic { kAdd, kSubtract };

// Both must be N.
Result<void> append_sum(std::string& out, ValueView a, ValueView b, Arithmetic operation);
// Both must be L.
void append_concatenation(std::string& out, ValueView a, ValueView b);
// Both must be sets of the same type.
void append_union(std::string& out, ValueView a, ValueView b);
// Appends the elements of `a` that are not in `b`. Returns false if there are none.
bool append_difference(std::string& out, ValueView a, ValueView b);

}  // namespace trestle
