// Arithmetic over fields in the form that DynamoDB can evaluate: a condition compares one attribute with a value or
// another attribute, and SET adds or subtracts two operands. Rewrites sums into that form where possible. Pure.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "design/language/expression.h"

namespace trestle::design {

// A sum: the attributes added, the attributes subtracted, and a rest that contains no attribute.
struct Sum {
  std::vector<Expression> plus, minus;
  std::optional<Expression> rest;
};
using IsPath = std::function<bool(const Expression&)>;

// Nothing if attributes are combined with operators other than + and -.
std::optional<Sum> sum_of(const Expression& e, const IsPath& is_path);

// Rewrites a comparison of sums to have one attribute on the left and another attribute or a value on the right.
// Nothing if that is impossible.
std::optional<Expression> simple_comparison(const Expression& comparison, const IsPath& is_path);

Expression difference(std::optional<Expression> a, std::optional<Expression> b);

}  // namespace trestle::design
