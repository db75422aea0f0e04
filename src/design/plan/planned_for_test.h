// For tests: a design together with the plan of one of its operations.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "design/check/finding_codes_for_test.h"
#include "design/plan/plan_text.h"

namespace trestle::design {

struct Planned {
  Planned(const std::string& text, const std::string& operation) : reading(read_design(text)) {
    EXPECT_TRUE(reading.mistakes.empty()) << (reading.mistakes.empty() ? "" : reading.mistakes[0].message);
    const Operation* found = reading.design.operation(operation);
    EXPECT_NE(found, nullptr) << operation;
    if (found != nullptr) plan = plan_operation(reading.design, *found);
  }
  const PlanStep& last() const { return plan.steps.back(); }
  const Request& own() const { return last().requests.front(); }
  ExpressionText text() const { return plan_text_of(first_forms(own())); }

  Reading reading;
  Plan plan;
};

inline Planned small(std::string_view rest, const std::string& operation) { return {around(rest), operation}; }

}  // namespace trestle::design
