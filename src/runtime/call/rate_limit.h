// Rate windows: one conditional write counts and refuses; the first request of a slice reads the slices before it.
#pragma once

#include <cstdint>

#include "runtime/call/item_reader.h"
#include "runtime/requests/prepared_plan.h"

namespace trestle::runtime {

// Counts the call. Returns how many more the window allows; refuses as the step says if it is full.
Outcome<int64_t> count_call(const ReadParts& parts, const PreparedPlan& plan, const design::PlanStep& step);

}  // namespace trestle::runtime
