#include "expression/key_condition.h"

#include <fmt/format.h>

#include <algorithm>

#include "expression/bound_expression.h"
#include "expression/operand_check.h"

namespace trestle {
namespace {

constexpr std::string_view kKeyConditionParameter = "KeyConditionExpression";

KeyComparison key_comparison(Comparison comparison, bool value_first) {
  switch (comparison) {
    case Comparison::kLess:
      return value_first ? KeyComparison::kGreater : KeyComparison::kLess;
    case Comparison::kLessOrEqual:
      return value_first ? KeyComparison::kGreaterOrEqual : KeyComparison::kLessOrEqual;
    case Comparison::kGreater:
      return value_first ? KeyComparison::kLess : KeyComparison::kGreater;
    case Comparison::kGreaterOrEqual:
      return value_first ? KeyComparison::kLessOrEqual : KeyComparison::kGreaterOrEqual;
    default:
      return KeyComparison::kEqual;
  }
}

// Converts the tree into terms, clause by clause from the left, and rejects whatever a key condition may not contain.
class KeyTerms {
 public:
  KeyTerms(const BoundExpression& bound, std::string_view text) : bound_(bound), text_(text) {}

  Result<KeyCondition> make() {
    TRY(add(bound_.node(bound_.tree().root)));
    return std::move(terms_);
  }

 private:
  Result<void> add(const Node& node) {
    if (node.kind == NodeKind::kAnd) {
      for (uint32_t i = 0; i < node.count; ++i) TRY(add(child(node, i)));
      return {};
    }
    TRY(check_operator(node));
    TRY(check_operands(node));
    return add_term(node);
  }

  const Node& child(const Node& node, uint32_t i) const { return bound_.tree().child(node, i); }

  static Result<void> check_operator(const Node& node) {
    std::string_view name;
    switch (node.kind) {
      case NodeKind::kOr:
        name = "OR";
        break;
      case NodeKind::kNot:
        name = "NOT";
        break;
      case NodeKind::kIn:
        name = "IN";
        break;
      case NodeKind::kComparison:
        if (node.comparison == Comparison::kNotEqual) name = "<>";
        break;
      case NodeKind::kFunction:
        if (node.function != Function::kBeginsWith) name = node.name;
        break;
      default:
        break;
    }
    if (name.empty()) return {};
    return invalid(fmt::format("Invalid operator used in KeyConditionExpression: {}", name));
  }

  Result<void> check_operands(const Node& node) const {
    const bool is_path_first = child(node, 0).kind == NodeKind::kPath;
    if (node.kind != NodeKind::kComparison && !is_path_first) {
      return invalid(fmt::format(
          "Invalid condition in KeyConditionExpression: {} operator must have the key attribute as its first operand",
          node.kind == NodeKind::kBetween ? "BETWEEN" : "begins_with"));
    }
    bool has_path = false;
    for (uint32_t i = 0; i < node.count; ++i) {
      const Node& operand = child(node, i);
      if (operand.kind == NodeKind::kFunction) {
        return invalid_expression(kKeyConditionParameter, "KeyConditionExpressions cannot contain nested operations");
      }
      if (operand.kind != NodeKind::kPath) continue;
      if (has_path) {
        return invalid("Invalid condition in KeyConditionExpression: Multiple attribute names used in one condition");
      }
      if (operand.count > 1) {
        return invalid_expression(kKeyConditionParameter,
                                  "KeyConditionExpressions cannot have conditions on nested attributes");
      }
      has_path = true;
    }
    if (!has_path) return invalid("Invalid condition in KeyConditionExpression: No key attribute specified");
    return {};
  }

  // Terms outlive the tree, so a name without placeholder is taken from the request's own text.
  std::string_view name_of(const PathElement& element) const {
    const NameSlot& slot = bound_.tree().names[element.name];
    if (slot.is_placeholder) return bound_.name(element);
    return text_.substr(static_cast<size_t>(slot.text.data() - bound_.tree().text.data()), slot.text.size());
  }

  Result<void> add_term(const Node& node) {
    const bool value_first = child(node, 0).kind == NodeKind::kValue;
    const Node& path = child(node, value_first ? 1 : 0);
    KeyTerm term;
    term.attribute = name_of(bound_.tree().elements[path.first]);
    term.first = bound_.value(child(node, value_first ? 0 : 1));
    switch (node.kind) {
      case NodeKind::kComparison:
        term.comparison = key_comparison(node.comparison, value_first);
        break;
      case NodeKind::kBetween:
        term.comparison = KeyComparison::kBetween;
        term.second = bound_.value(child(node, 2));
        break;
      default:
        term.comparison = KeyComparison::kBeginsWith;
        break;
    }
    if (std::ranges::find(terms_, term.attribute, &KeyTerm::attribute) != terms_.end()) {
      return invalid_expression(kKeyConditionParameter,
                                "KeyConditionExpressions must only contain one condition per key");
    }
    terms_.push_back(term);
    return {};
  }

  const BoundExpression& bound_;
  std::string_view text_;
  KeyCondition terms_;
};

}  // namespace

Result<KeyCondition> compile_key_condition(std::string_view text, Binding& binding, std::optional<Error>* deferred) {
  TRY_INTO(const BoundExpression bound,
           BoundExpression::make(text, Grammar::kCondition, kKeyConditionParameter, binding));
  for (uint32_t condition : bound.tree().conditions) {
    if (const auto fault = condition_fault(bound, bound.node(condition)))
      return invalid_expression(kKeyConditionParameter, *fault);
  }
  auto terms = KeyTerms(bound, text).make();
  if (terms || deferred == nullptr) return terms;
  *deferred = std::move(terms).error();
  return KeyCondition();
}

}  // namespace trestle
