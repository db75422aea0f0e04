// Rate limits over windows that are divided into slices. One conditional write both counts a call and checks the limit;
// only the first call in a slice, and a refused one, read the earlier slices of the window.
#pragma once

#include <cstdint>

#include "runtime/call/item_reader.h"
#include "runtime/requests/prepared_plan.h"

namespace trestle::runtime {

// Counts the call. Returns how many more calls the window allows; if it is full, refuses as the step says.
Outcome<int64_t> count_call(const ReadParts& parts, const PreparedPlan& plan, const design::PlanStep& step);

}  // namespace trestle::runtime
