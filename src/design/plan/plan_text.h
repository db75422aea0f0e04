// Prints plans: as text, with one block per request, and as JSON.
#pragma once

#include <string>
#include <vector>

#include "design/plan/plan.h"

namespace trestle::design {

std::string plan_text(const Design& design, const Plan& plan);
// {"operation": ..., "steps": [...], "cost": {...}, ...}
std::string plan_json(const Design& design, const Plan& plan);

// "2", "0.5" or "3 (1 to 12)": the typical figure, and the range if there is one.
std::string units_text(const Units& units);

// The forms that the first attempt uses if every input is present.
std::vector<const Form*> first_forms(const Request& request);

// The exact least and greatest values that a request to a tally's target maintains, in the order of
// Request::extreme_reads.
std::vector<std::string> exact_figures(const Request& request);

}  // namespace trestle::design
