#include "expression/search_condition.h"

#include "expression/bound_expression.h"

namespace trestle {
namespace {

constexpr std::string_view kSearchConditionParameter = "SearchConditionExpression";

Result<void> collect(const BoundExpression& bound, const Node& node, std::vector<SearchEquality>& out) {
  if (node.kind == NodeKind::kAnd) {
    for (uint32_t i = 0; i < node.count; ++i) TRY(collect(bound, bound.tree().child(node, i), out));
    return {};
  }
  if (node.kind != NodeKind::kComparison) {
    return invalid_expression(kSearchConditionParameter, "Invalid operator used in SearchConditionExpression");
  }
  const Node* path = &bound.tree().child(node, 0);
  const Node* value = &bound.tree().child(node, 1);
  if (path->kind == NodeKind::kValue) std::swap(path, value);
  if (node.comparison != Comparison::kEqual || path->kind != NodeKind::kPath || value->kind != NodeKind::kValue) {
    return invalid_expression(kSearchConditionParameter, "Invalid comparator used in SearchConditionExpression");
  }
  if (const auto fault = bound.path_fault(node)) return invalid_expression(kSearchConditionParameter, *fault);
  if (path->count != 1) {
    return invalid_expression(kSearchConditionParameter,
                              "Nested attributes are not allowed in SearchConditionExpression");
  }
  out.push_back(
      {.attribute = std::string(bound.name(bound.tree().elements[path->first])), .value = bound.value(*value)});
  return {};
}

}  // namespace

Result<std::vector<SearchEquality>> compile_search_condition(std::string_view text, Binding& binding) {
  TRY_INTO(const auto bound, BoundExpression::make(text, Grammar::kCondition, kSearchConditionParameter, binding));
  std::vector<SearchEquality> equalities;
  TRY(collect(bound, bound.node(bound.tree().root), equalities));
  return equalities;
}

}  // namespace trestle
