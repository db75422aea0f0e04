// SearchConditionExpression: which vectors a search looks at. Attributes equal values, joined by AND; nothing else is
// allowed. Whether the attributes are those of an index's search schema is the caller's to check.
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
