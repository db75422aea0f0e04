// SearchConditionExpression: restricts the vectors of a search. Only equalities of attributes and values, joined by
// AND, are allowed. The caller checks that the attributes belong to the index's search schema.
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
