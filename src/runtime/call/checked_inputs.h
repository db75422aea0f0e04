// Checks the inputs of a call against the types that its operation declares.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "design/language/design.h"
#include "runtime/values/plain.h"
#include "runtime/values/refusal.h"

namespace trestle::runtime {

// Returns all inputs of an operation. An unknown input is a fault. A missing input gets its default (evaluated with
// `now_ms` and the other inputs); without a default it is a fault unless it is optional. Null is kept only where it
// removes a field: for an optional input from which an update or upsert sets an optional field. It is a fault for
// required inputs and for other fields of an update; for every other optional input it means that the input is missing.
// If there are faults, `good` receives the inputs that have none.
Outcome<std::map<std::string, Plain, std::less<>>> checked_inputs(
    const design::Design& design, const design::Operation& operation, const Plain& input, int64_t now_ms,
    std::map<std::string, Plain, std::less<>>* good = nullptr);

}  // namespace trestle::runtime
