// Arithmetic over fields in the form that DynamoDB can evaluate: a condition compares one attribute with a value or
// another attribute, and SET adds or subtracts two operands. Rewrites sums into that form where possible. Pure.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "design/language/expression.h"

namespace trestle::design {

// A sum: the attributes added, the attributes subtracted, and a rest that contains no attribute: as one expression, and
// as the values added and subtracted. A time or duration that is subtracted has no negative, so a comparison moves it
// to the other side.
struct Sum {
  std::vector<Expression> plus, minus;
  std::optional<Expression> rest;
  std::vector<Expression> values_plus, values_minus;
};
using IsPath = std::function<bool(const Expression&)>;

// Nothing if attributes are combined with operators other than + and -.
std::optional<Sum> sum_of(const Expression& e, const IsPath& is_path);

// Rewrites a comparison of sums to have one attribute on the left and another attribute or a value on the right.
// Nothing if that is impossible.
std::optional<Expression> simple_comparison(const Expression& comparison, const IsPath& is_path);

// The comparison with its sides exchanged: `>` for `<`.
std::string mirrored(const std::string& symbol);

Expression difference(std::optional<Expression> a, std::optional<Expression> b);

}  // namespace trestle::design
