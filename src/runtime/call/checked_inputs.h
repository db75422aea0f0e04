// The inputs of a call, checked by the types of its operation.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "design/language/design.h"
#include "runtime/values/plain.h"
#include "runtime/values/refusal.h"

namespace trestle::runtime {

// All inputs of an operation: unknown ones are faults, missing ones get their default (evaluated with `now_ms` and the
// inputs before it) or are faults unless optional. Null is kept only where it removes a field: the input of an update
// or upsert that sets an optional field from it. It is a fault for inputs that must be given and for other fields of an
// update; for every other optional input it means that the input was not given. Where there are faults, `good` receives
// the inputs without one.
Outcome<std::map<std::string, Plain, std::less<>>> checked_inputs(
    const design::Design& design, const design::Operation& operation, const Plain& input, int64_t now_ms,
    std::map<std::string, Plain, std::less<>>* good = nullptr);

}  // namespace trestle::runtime
