#include "runtime/expressions/evaluate.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "model/number.h"
#include "runtime/expressions/arithmetic.h"
#include "runtime/expressions/comparison.h"
#include "runtime/expressions/operand.h"
#include "runtime/values/moment.h"

namespace trestle::runtime {
namespace {

using design::Expression;

Operand borrowed(const Plain* value) { return value == nullptr ? Operand() : Operand::borrow(*value); }

// A field of the current item takes precedence over a word of the language.
Operand name_value(const std::string& name, const Scope& scope) {
  if (scope.fields != nullptr) {
    const Plain& field = scope.fields->member(name);
    if (!field.is_absent()) return Operand::borrow(field);
  }
  if (name == "now") return Plain::moment(scope.now_ms);
  if (name == "today") return Plain::text(date_text(scope.now_ms));
  if (name == "caller") return borrowed(scope.caller);
  if (name == "items") return borrowed(scope.items);
  if (name == "item") return borrowed(scope.fields);
  if (name == "old") return borrowed(scope.old_item);
  if (name == "new") return borrowed(scope.new_item);
  return {};
}

Operand input_value(const std::string& name, const Scope& scope) {
  for (const Names* names : {scope.inner_names, scope.names}) {
    if (names == nullptr) continue;
    if (const auto found = names->find(name); found != names->end()) return Operand::borrow(found->second);
  }
  return {};
}

// The member of a map. For a list: the list of the members of all elements that have one.
Outcome<Operand> member_value(const Expression& e, const Scope& scope) {
  TRY_INTO(const Operand base, operand_of(e.arguments[0], scope));
  if (base->is(PlainKind::kMap)) {
    const Plain& member = base->member(e.text);
    // A computed map is destroyed at the end of this function; a borrowed one outlives it.
    const bool lives = !e.arguments[0].is(ExpressionKind::kCall) && !e.arguments[0].is(ExpressionKind::kIndex) &&
                       !e.arguments[0].is(ExpressionKind::kMember);
    if (lives) return Operand::borrow(member);
    return Operand(member);
  }
  if (!base->is(PlainKind::kList)) return Operand();
  Plain::List found;
  found.reserve(base->elements().size());
  for (const Plain& element : base->elements()) {
    const Plain& member = element.member(e.text);
    if (member.exists()) found.push_back(member);
  }
  return Operand(Plain::list(std::move(found)));
}

Outcome<Operand> element_value(const Expression& e, const Scope& scope) {
  TRY_INTO(const Operand base, operand_of(e.arguments[0], scope));
  TRY_INTO(const Operand index, operand_of(e.arguments[1], scope));
  if (base->is(PlainKind::kMap)) {
    const auto name = text_of(*index);
    return name ? Operand(base->member(*name)) : Operand();
  }
  if (!base->is(PlainKind::kList) || !index->is(PlainKind::kNumber)) return Operand();
  const auto at = integer_of(index->string());
  if (!at || *at < 0 || static_cast<size_t>(*at) >= base->elements().size()) return Operand();
  return Operand(base->elements()[static_cast<size_t>(*at)]);
}

bool fits(const std::string& symbol, std::strong_ordering order) {
  if (symbol == "=") return order == 0;
  if (symbol == "<>") return order != 0;
  if (symbol == "<") return order < 0;
  if (symbol == "<=") return order <= 0;
  if (symbol == ">") return order > 0;
  return order >= 0;
}

// A field, the size of one, or a sum or other arithmetic of fields: absent if a field is.
bool is_of_attribute(const Expression& e) {
  switch (e.kind) {
    case ExpressionKind::kAdd:
    case ExpressionKind::kSubtract:
    case ExpressionKind::kMultiply:
    case ExpressionKind::kDivide:
      return is_of_attribute(e.arguments[0]) || is_of_attribute(e.arguments[1]);
    case ExpressionKind::kCall:
      return e.text == "size" && e.arguments.size() == 1 && is_attribute(e.arguments[0]);
    default:
      return is_attribute(e);
  }
}

// A time that is compared with a field of another type is converted to it, as in a condition that is sent.
Plain as_type_of(const Plain& field, const Plain& value) {
  if (!value.is_time()) return value;
  if (field.is(PlainKind::kNumber) && value.is(PlainKind::kMoment))
    return Plain::number(floor_div(value.integer(), 1000));
  if (!field.is(PlainKind::kText)) return value;
  auto text = text_of(value);
  return text ? Plain::text(std::move(*text)) : value;
}

// A duration in milliseconds. Durations are whole seconds, but the difference of two times is compared exactly, because
// a condition that is sent compares the times: `now - at > 1h` is sent as `at < now - 1h`.
Outcome<int64_t> exact_duration_ms(const Expression& e, const Plain& value, const Scope& scope) {
  if (!e.is(ExpressionKind::kAdd) && !e.is(ExpressionKind::kSubtract)) return value.integer() * 1000;
  TRY_INTO(const Operand a, operand_of(e.arguments[0], scope));
  TRY_INTO(const Operand b, operand_of(e.arguments[1], scope));
  const auto left = time_of(*a), right = time_of(*b);
  if (left && right) return *left - *right;
  if (!a->is(PlainKind::kDuration) || !b->is(PlainKind::kDuration)) return value.integer() * 1000;
  TRY_INTO(const int64_t first, exact_duration_ms(e.arguments[0], *a, scope));
  TRY_INTO(const int64_t second, exact_duration_ms(e.arguments[1], *b, scope));
  return e.is(ExpressionKind::kAdd) ? first + second : first - second;
}

Outcome<bool> comparison(const Expression& e, const Scope& scope) {
  const Expression& left = e.arguments[0];
  const Expression& right = e.arguments[1];
  TRY_INTO(const Operand a, operand_of(left, scope));
  TRY_INTO(const Operand b, operand_of(right, scope));
  // `x = null` tests whether x is missing.
  if (left.is(ExpressionKind::kNull) || right.is(ExpressionKind::kNull)) {
    const bool exists = left.is(ExpressionKind::kNull) ? b->exists() : a->exists();
    return e.text == "=" ? !exists : e.text == "<>" && exists;
  }
  // As in DynamoDB, an absent attribute differs from everything.
  if (!a->exists() || !b->exists()) return e.text == "<>" && (is_of_attribute(left) || is_of_attribute(right));
  if (a->is(PlainKind::kDuration) && b->is(PlainKind::kDuration)) {
    TRY_INTO(const int64_t left_ms, exact_duration_ms(left, *a, scope));
    TRY_INTO(const int64_t right_ms, exact_duration_ms(right, *b, scope));
    return fits(e.text, left_ms <=> right_ms);
  }
  if (e.text == "=") return equal_operands(left, *a, right, *b);
  if (e.text == "<>") return !equal_operands(left, *a, right, *b);
  const auto order = compare_operands(left, *a, right, *b);
  return order && fits(e.text, *order);
}

Outcome<bool> between(const Expression& e, const Scope& scope) {
  TRY_INTO(const Operand value, operand_of(e.arguments[0], scope));
  TRY_INTO(const Operand low, operand_of(e.arguments[1], scope));
  TRY_INTO(const Operand high, operand_of(e.arguments[2], scope));
  const auto from = compare_operands(e.arguments[1], *low, e.arguments[0], *value);
  const auto to = compare_operands(e.arguments[0], *value, e.arguments[2], *high);
  return from && to && *from <= 0 && *to <= 0;
}

// Whether the value equals one of the others, or a member of a list or set among them.
Outcome<bool> among(const Expression& e, const Scope& scope) {
  TRY_INTO(const Operand value, operand_of(e.arguments[0], scope));
  for (size_t i = 1; i < e.arguments.size(); ++i) {
    TRY_INTO(const Operand argument, operand_of(e.arguments[i], scope));
    if (argument->is(PlainKind::kList) || argument->is(PlainKind::kSet)) {
      for (const Plain& member : argument->elements()) {
        if (equal_operands(e.arguments[0], *value, e.arguments[i], member)) return true;
      }
    } else if (equal_operands(e.arguments[0], *value, e.arguments[i], *argument)) {
      return true;
    }
  }
  return false;
}

Outcome<Operand> truth(Outcome<bool> answer) {
  if (!answer) return std::unexpected(std::move(answer).error());
  return Operand(Plain::boolean(*answer));
}

Outcome<Operand> arithmetic(const Expression& e, const Scope& scope) {
  TRY_INTO(const Operand a, operand_of(e.arguments[0], scope));
  TRY_INTO(const Operand b, operand_of(e.arguments[1], scope));
  TRY_INTO(Plain result, apply_operator(e.kind, *a, *b));
  return Operand(std::move(result));
}

}  // namespace

bool is_attribute(const Expression& e) {
  const Expression* root = &e;
  while (root->is(ExpressionKind::kMember) || root->is(ExpressionKind::kIndex)) root = &root->arguments[0];
  static constexpr std::array<std::string_view, 7> kWords = {"now", "today", "caller", "items", "item", "old", "new"};
  // The runtime's own names for items that it has read begin with `$`.
  if (root->is(ExpressionKind::kInput)) return root->text.starts_with('$');
  return root->is(ExpressionKind::kName) && std::ranges::find(kWords, root->text) == kWords.end();
}

std::optional<std::strong_ordering> compare_operands(const Expression& left, const Plain& a, const Expression& right,
                                                     const Plain& b) {
  const bool left_is_field = is_attribute(left), right_is_field = is_attribute(right);
  if (left_is_field && right_is_field) return a.is_time() && b.is_time() ? compare(a, b) : compare_values(a, b);
  if (left_is_field && !a.is_time()) return compare_values(a, as_type_of(a, b));
  if (right_is_field && !b.is_time()) return compare_values(as_type_of(b, a), b);
  return compare(a, b);
}

bool equal_operands(const Expression& left, const Plain& a, const Expression& right, const Plain& b) {
  const auto is_container = [](const Plain& value) {
    return value.is(PlainKind::kList) || value.is(PlainKind::kMap) || value.is(PlainKind::kSet);
  };
  if (is_container(a) || is_container(b)) return equal(a, b);
  const auto order = compare_operands(left, a, right, b);
  return order && *order == std::strong_ordering::equal;
}

Outcome<Operand> operand_of(const Expression& e, const Scope& scope) {
  switch (e.kind) {
    case ExpressionKind::kText:
      return Operand(Plain::text(e.text));
    case ExpressionKind::kNumber: {
      auto canonical = canonical_number(e.text);
      if (!canonical) return refuse(500, fmt::format("The design's number {} is out of range.", e.text));
      return Operand(Plain::number(std::move(*canonical)));
    }
    case ExpressionKind::kBool:
      return Operand(Plain::boolean(e.truth));
    case ExpressionKind::kNull:
      return Operand(Plain::null());
    case ExpressionKind::kDuration:
      return Operand(Plain::duration(e.duration_s));
    case ExpressionKind::kName:
      return name_value(e.text, scope);
    case ExpressionKind::kInput:
      return input_value(e.text, scope);
    case ExpressionKind::kMember:
      return member_value(e, scope);
    case ExpressionKind::kIndex:
      return element_value(e, scope);
    case ExpressionKind::kCall:
      return call_function(e, scope);
    case ExpressionKind::kAdd:
    case ExpressionKind::kSubtract:
    case ExpressionKind::kMultiply:
    case ExpressionKind::kDivide:
      return arithmetic(e, scope);
    case ExpressionKind::kCompare:
      return truth(comparison(e, scope));
    case ExpressionKind::kBetween:
      return truth(between(e, scope));
    case ExpressionKind::kIn:
      return truth(among(e, scope));
    case ExpressionKind::kAnd:
    case ExpressionKind::kOr:
    case ExpressionKind::kNot:
      return truth(holds(e, scope));
  }
  return Operand();
}

Outcome<Plain> evaluate(const Expression& expression, const Scope& scope) {
  TRY_INTO(Operand result, operand_of(expression, scope));
  return std::move(result).take();
}

Outcome<bool> holds(const Expression& e, const Scope& scope) {
  switch (e.kind) {
    case ExpressionKind::kAnd:
    case ExpressionKind::kOr: {
      TRY_INTO(const bool left, holds(e.arguments[0], scope));
      if (left == e.is(ExpressionKind::kOr)) return left;
      return holds(e.arguments[1], scope);
    }
    case ExpressionKind::kNot: {
      TRY_INTO(const bool inner, holds(e.arguments[0], scope));
      return !inner;
    }
    default: {
      TRY_INTO(const Operand value, operand_of(e, scope));
      return value->is(PlainKind::kBool) && value->truth();
    }
  }
}

}  // namespace trestle::runtime
