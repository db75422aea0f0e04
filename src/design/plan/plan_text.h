// Plans for people, one block per request, and for programs (JSON).
#pragma once

#include <string>
#include <vector>

#include "design/plan/plan.h"

namespace trestle::design {

std::string plan_text(const Design& design, const Plan& plan);
// {"operation": ..., "steps": [...], "cost": {...}, ...}
std::string plan_json(const Design& design, const Plan& plan);

// "2", "0.5", "3 (1 to 12)": the typical figure, and the range where there is one.
std::string units_text(const Units& units);

// The forms used by the first attempt if every input is present.
std::vector<const Form*> first_forms(const Request& request);

// The least and greatest values of a tally's target that may come back, in the order of Request::extreme_reads.
std::vector<std::string> exact_figures(const Request& request);

}  // namespace trestle::design
