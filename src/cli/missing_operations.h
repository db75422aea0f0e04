// What a design loses on an endpoint that lacks some of DynamoDB's operations. Pure.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "design/plan/plan.h"
#include "remote/probe.h"

namespace trestle {

using PlanOfOperation = std::function<const design::Plan&(const design::Operation&)>;

// A line for each feature that the design's tables lose, then one for each of its operations that cannot work. Empty if
// the design needs none of the lacking operations.
std::string missing_operations_text(const std::vector<LackingOperation>& lacking, const design::Design& design,
                                    const PlanOfOperation& plan_of);

}  // namespace trestle
