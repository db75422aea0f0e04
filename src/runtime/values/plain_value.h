// Plain values as DynamoDB's, and back.
#pragma once

#include "model/value.h"
#include "runtime/values/plain.h"
#include "runtime/values/refusal.h"

namespace trestle::runtime {

// A scalar, list, map or set as DynamoDB stores it, by `stored` where the plain value leaves a choice (a string set of
// texts, S or N of a number). Numbers of more than 38 digits are refused (400).
Outcome<Value> to_value(const Plain& plain, ValueType stored);
Plain to_plain(ValueView value);
// How a value is stored that is no field's; `otherwise` where the value does not tell.
ValueType natural_type(const Plain& value, ValueType otherwise);

}  // namespace trestle::runtime
