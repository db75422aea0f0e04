// Converts plain values to DynamoDB's values, and back.
#pragma once

#include "model/value.h"
#include "runtime/values/plain.h"
#include "runtime/values/refusal.h"

namespace trestle::runtime {

// The DynamoDB value for a plain value. `stored` decides where there is a choice (a list or string set of texts, S or N
// for a number). Refuses (400) numbers of more than 38 digits.
Outcome<Value> to_value(const Plain& plain, ValueType stored);
Plain to_plain(ValueView value);
// The stored type of a value that does not belong to a field; `otherwise` for kinds that do not imply a type.
ValueType natural_type(const Plain& value, ValueType otherwise);

}  // namespace trestle::runtime
