// Reads a design file: parses text into a Design and reports all mistakes at once.
//
//   T001 not YAML, or YAML that a design does not use     T002 an unknown name        T003 another shape was expected
//   T004 something is named that does not exist           T005 an expression or a template that cannot be read
//   T006 a remark that excuses nothing
#pragma once

#include <optional>
#include <string_view>

#include "design/language/design.h"

namespace trestle::design {

struct Reading {
  Design design;
  // Mistakes. The checker may still run on a design with mistakes, as far as it was understood.
  std::vector<Finding> mistakes;
};

Reading read_design(std::string_view text);

}  // namespace trestle::design
