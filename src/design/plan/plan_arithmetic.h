// Arithmetic over fields as DynamoDB can evaluate it: a condition compares one attribute with a value or another
// attribute, and SET adds or subtracts two operands. Sums are brought into that form where they can be. Pure.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "design/language/expression.h"

namespace trestle::design {

// A sum: the attributes that are added and subtracted, and the rest, which names none.
struct Sum {
  std::vector<Expression> plus, minus;
  std::optional<Expression> rest;
};
using IsPath = std::function<bool(const Expression&)>;

// Nothing if attributes are used other than by + and -.
std::optional<Sum> sum_of(const Expression& e, const IsPath& is_path);

// A comparison of sums with one attribute on its left side, and on its right another attribute or a value. Nothing if
// there is no such form.
std::optional<Expression> simple_comparison(const Expression& comparison, const IsPath& is_path);

Expression difference(std::optional<Expression> a, std::optional<Expression> b);

}  // namespace trestle::design
