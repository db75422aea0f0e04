// A value during evaluation: borrowed if it is in the scope, owned if it was computed, so that reading a member of a
// large item does not copy the item.
#pragma once

#include <compare>
#include <optional>
#include <utility>

#include "design/language/expression.h"
#include "runtime/expressions/scope.h"
#include "runtime/values/refusal.h"

namespace trestle::runtime {

// Expressions and values both have kinds.
using ExpressionKind = design::Expression::Kind;
using PlainKind = Plain::Kind;

class Operand {
 public:
  Operand() = default;
  Operand(Plain owned) : owned_(std::move(owned)) {}  // NOLINT: a value is an operand
  static Operand borrow(const Plain& value) {
    Operand result;
    result.borrowed_ = &value;
    return result;
  }
  const Plain& operator*() const { return borrowed_ != nullptr ? *borrowed_ : owned_; }
  const Plain* operator->() const { return &**this; }
  Plain take() && { return borrowed_ != nullptr ? *borrowed_ : std::move(owned_); }

 private:
  const Plain* borrowed_ = nullptr;
  Plain owned_;
};

// Like evaluate(), but without the final copy. The scope must outlive the operand.
Outcome<Operand> operand_of(const design::Expression& expression, const Scope& scope);
// Whether the expression is a field of the current item, or within one: `status`, `address.city`.
bool is_attribute(const design::Expression& expression);
// Compares two operands as DynamoDB would if one is a field of the current item: in the type of the field. Two fields
// compare as times only if both are times. Nothing if there is no order.
std::optional<std::strong_ordering> compare_operands(const design::Expression& left, const Plain& a,
                                                     const design::Expression& right, const Plain& b);
bool equal_operands(const design::Expression& left, const Plain& a, const design::Expression& right, const Plain& b);
// The result of `name(arguments)`; functions.cc.
Outcome<Operand> call_function(const design::Expression& call, const Scope& scope);
// `a + b` and the other operators; time_arithmetic.cc.
Outcome<Plain> apply_operator(design::Expression::Kind kind, const Plain& a, const Plain& b);

// A value as text: numbers unchanged, times as ISO 8601. Nothing for binary values and containers.
std::optional<std::string> text_of(const Plain& value);

}  // namespace trestle::runtime
