// Reads a design file: parses text into a Design and reports all mistakes at once.
//
//   T001 not YAML, or unsupported YAML                   T002 an unknown word       T003 a value of the wrong form
//   T004 a reference to something that does not exist    T005 an expression or a template that cannot be parsed
//   T006 a malformed remark
#pragma once

#include <optional>
#include <string_view>

#include "design/language/design.h"

namespace trestle::design {

struct Reading {
  Design design;
  // The design contains everything that could be read in spite of the mistakes, so the checker can still run on it.
  std::vector<Finding> mistakes;
};

Reading read_design(std::string_view text);

}  // namespace trestle::design
