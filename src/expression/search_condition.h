// SearchConditionExpression: restricts the vectors of a search. Attributes equal values, joined by AND; nothing else is
// allowed. The caller checks that the attributes are those of the index's search schema.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "expression/binding.h"

namespace trestle {

struct SearchEquality {
  std::string attribute;
  ValueView value;
};

// Borrows the request's values.
Result<std::vector<SearchEquality>> compile_search_condition(std::string_view text, Binding& binding);

}  // namespace trestle
