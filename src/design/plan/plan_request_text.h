// Prints one request of a plan, its costs and its refusals. Internal to plan_text.cc.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "design/plan/plan.h"
#include "design/plan/plan_page.h"

namespace trestle::design {

std::string joined(const std::vector<std::string>& parts, std::string_view by);
// "read 1 · write 4 (2 to 6), of which GSI1 2"
std::string cost_text(const Cost& cost);
// "fus-main.GSI1 · Site"
std::string subject_of(const Request& request);
void refusal_rows(Page& page, const std::vector<Refusal>& list);
// The title, then one row for each part of the request.
void request_block(Page& page, const Request& request, std::string_view title, bool with_cost);

}  // namespace trestle::design
