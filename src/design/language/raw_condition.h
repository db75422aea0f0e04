// A raw key condition of a document, parsed: the set of strings that it admits for each key attribute.
#pragma once

#include <string>
#include <vector>

#include "design/language/design.h"

namespace trestle::design {

struct RawCondition {
  // Per key attribute (hash attributes, then range attributes): the strings it admits, and whether it is an equality.
  std::vector<StringSet> strings;
  std::vector<bool> equal;
  // Whether the value of an equality is constant: it contains no input.
  std::vector<bool> constant;
  // Equalities: the placeholders and $inputs in the value, in order.
  std::vector<std::vector<std::string>> fields;
  std::vector<std::string> inputs;  // placeholders and $inputs it needs
  bool range_given = false;
  std::vector<std::string> other_attributes;  // named, and not part of the key
  std::vector<std::string> bare_names;        // attribute names written without '#'
};

RawCondition read_raw_condition(const Expression& where, const KeySchema& schema, const Operation& operation);

}  // namespace trestle::design
