// Analyzes a raw key condition: which strings match for each key attribute.
#pragma once

#include <string>
#include <vector>

#include "design/language/design.h"

namespace trestle::design {

struct RawCondition {
  // Per key attribute (hash attributes, then range attributes): the strings that match, and whether the condition is an
  // equality.
  std::vector<StringSet> strings;
  std::vector<bool> equal;
  // Whether the value of an equality is constant, that is, contains no input.
  std::vector<bool> constant;
  // For equalities: the placeholders and $inputs in the value, in order.
  std::vector<std::vector<std::string>> fields;
  std::vector<std::string> inputs;  // all placeholders and $inputs of the condition
  bool has_range = false;
  std::vector<std::string> other_attributes;  // attributes in the condition that are not part of the key
  std::vector<std::string> bare_names;        // attribute names written without '#'
};

RawCondition read_raw_condition(const Expression& where, const KeySchema& schema, const Operation& operation);

}  // namespace trestle::design
