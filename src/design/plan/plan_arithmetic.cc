#include "design/plan/plan_arithmetic.h"

#include <algorithm>

#include "design/plan/plan_impl.h"

namespace trestle::design {

using Kind = Expression::Kind;

namespace {

bool has_path(const Expression& e, const IsPath& is_path) {
  return is_path(e) || std::any_of(e.arguments.begin(), e.arguments.end(),
                                   [&](const Expression& argument) { return has_path(argument, is_path); });
}

void append(std::vector<Expression>& to, const std::vector<Expression>& more) {
  to.insert(to.end(), more.begin(), more.end());
}

std::optional<Expression> total(const std::vector<Expression>& values) {
  std::optional<Expression> sum;
  for (const Expression& value : values)
    sum = !sum ? value : Expression{.kind = Kind::kAdd, .arguments = {std::move(*sum), value}};
  return sum;
}

}  // namespace

std::string mirrored(const std::string& symbol) {
  if (symbol == "<") return ">";
  if (symbol == "<=") return ">=";
  if (symbol == ">") return "<";
  if (symbol == ">=") return "<=";
  return symbol;
}

Expression difference(std::optional<Expression> a, std::optional<Expression> b) {
  if (!b) return a ? std::move(*a) : number_expression("0");
  return {.kind = Kind::kSubtract, .arguments = {a ? std::move(*a) : number_expression("0"), std::move(*b)}};
}

std::optional<Sum> sum_of(const Expression& e, const IsPath& is_path) {
  if (is_path(e)) return Sum{.plus = {e}};
  if (!has_path(e, is_path)) return Sum{.rest = e, .values_plus = {e}};
  if (!e.is(Kind::kAdd) && !e.is(Kind::kSubtract)) return std::nullopt;
  auto a = sum_of(e.arguments[0], is_path);
  auto b = sum_of(e.arguments[1], is_path);
  if (!a || !b) return std::nullopt;
  const bool adds = e.is(Kind::kAdd);
  append(a->plus, adds ? b->plus : b->minus);
  append(a->minus, adds ? b->minus : b->plus);
  append(a->values_plus, adds ? b->values_plus : b->values_minus);
  append(a->values_minus, adds ? b->values_minus : b->values_plus);
  if (b->rest && adds && a->rest)
    a->rest = Expression{.kind = Kind::kAdd, .arguments = {*a->rest, *b->rest}};
  else if (b->rest && adds)
    a->rest = b->rest;
  else if (b->rest)
    a->rest = difference(a->rest, b->rest);
  return a;
}

std::optional<Expression> simple_comparison(const Expression& e, const IsPath& is_path) {
  const auto left = sum_of(e.arguments[0], is_path);
  const auto right = sum_of(e.arguments[1], is_path);
  if (!left || !right) return std::nullopt;
  std::vector<Expression> plus = left->plus, minus = left->minus;
  append(plus, right->minus);
  append(minus, right->plus);
  std::vector<Expression> values_of_left = left->values_plus, values_of_right = right->values_plus;
  append(values_of_left, right->values_minus);
  append(values_of_right, left->values_minus);
  Expression result{.kind = Kind::kCompare, .text = e.text, .place = e.place};
  if (plus.size() == 1 && minus.empty()) {
    result.arguments = {plus[0], difference(total(values_of_right), total(values_of_left))};
  } else if (plus.empty() && minus.size() == 1) {
    result.text = mirrored(e.text);
    result.arguments = {minus[0], difference(total(values_of_left), total(values_of_right))};
  } else if (plus.size() == 1 && minus.size() == 1 && !left->rest && !right->rest) {
    result.arguments = {plus[0], minus[0]};
  } else {
    return std::nullopt;
  }
  return result;
}

}  // namespace trestle::design
