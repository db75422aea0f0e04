#include "expression/update/update_check.h"

#include <fmt/format.h>

#include <array>
#include <ranges>

#include "expression/operand_check.h"

namespace trestle {
namespace {

using Fault = std::optional<std::string>;

// The type of a value. The types of function results are not known before run time.
std::optional<ValueType> value_type(const BoundExpression& bound, const Node& node) {
  if (node.kind != NodeKind::kValue) return std::nullopt;
  return bound.value(node).type();
}

Fault value_type_fault(const BoundExpression& bound, const Node& node, std::string_view operation, ValueType wanted) {
  for (uint32_t i = 0; i < node.count; ++i) {
    const auto type = value_type(bound, bound.tree().child(node, i));
    if (!type || *type == wanted) continue;
    return fmt::format("Incorrect operand type for operator or function; operator or function: {}, operand type: {}",
                       operation, type_name(*type));
  }
  return std::nullopt;
}

Fault if_not_exists_fault(const BoundExpression& bound, const Node& node) {
  const Node& path = bound.tree().child(node, 0);
  if (path.kind != NodeKind::kPath) {
    return "Operator or function requires a document path; operator or function: if_not_exists";
  }
  const Node& other = bound.tree().child(node, 1);
  const PathRange range{path.first, path.count};
  if (other.kind == NodeKind::kPath && bound.same_path(range, {other.first, other.count})) {
    return operands_not_distinct("if_not_exists", bound.path_text(range));
  }
  return std::nullopt;
}

// list_append() cannot be an operand of another function, a sum or a difference.
Fault nested_list_append(const BoundExpression& bound, const Node& node) {
  if (node.kind == NodeKind::kPath || node.kind == NodeKind::kValue) return std::nullopt;
  for (uint32_t i = 0; i < node.count; ++i) {
    const Node& operand = bound.tree().child(node, i);
    if (operand.kind == NodeKind::kFunction && operand.function == Function::kListAppend) {
      return fmt::format("The function is not allowed to be used this way in an expression; function: {}",
                         operand.name);
    }
    if (auto fault = nested_list_append(bound, operand)) return fault;
  }
  return std::nullopt;
}

Fault set_operand_fault(const BoundExpression& bound, const Node& node) {
  if (node.kind == NodeKind::kPath || node.kind == NodeKind::kValue) return std::nullopt;
  if (node.kind == NodeKind::kFunction && node.count != 2) {
    return wrong_operand_count(node.name, node.count);
  }
  for (uint32_t i = 0; i < node.count; ++i) {
    if (auto fault = set_operand_fault(bound, bound.tree().child(node, i))) return fault;
  }
  if (node.kind == NodeKind::kPlus) return value_type_fault(bound, node, "+", ValueType::kNumber);
  if (node.kind == NodeKind::kMinus) return value_type_fault(bound, node, "-", ValueType::kNumber);
  if (node.function == Function::kListAppend) return value_type_fault(bound, node, node.name, ValueType::kList);
  return if_not_exists_fault(bound, node);
}

// Checks the operand of ADD or DELETE.
Fault section_fault(const BoundExpression& bound, const UpdateStep& step) {
  const bool is_add = step.section == UpdateSection::kAdd;
  const ValueType type = bound.value(bound.node(step.value)).type();
  if (is_set(type) || (is_add && type == ValueType::kNumber)) return std::nullopt;
  constexpr std::array<std::string_view, 10> kTypes = {"NULL",       "BOOLEAN",    "STRING",     "NUMBER", "BINARY",
                                                       "STRING_SET", "NUMBER_SET", "BINARY_SET", "LIST",   "MAP"};
  const std::string_view name = is_add ? "ADD" : "DELETE";
  return fmt::format(
      "Incorrect operand type for operator or function; operator: {0}, operand type: {1}, "
      "typeSet: ALLOWED_FOR_{0}_OPERAND",
      name, kTypes[static_cast<size_t>(type)]);
}

Fault step_fault(const BoundExpression& bound, const UpdateStep& step) {
  if (auto fault = bound.path_fault(step.path)) return fault;
  if (step.section == UpdateSection::kRemove) return std::nullopt;
  const Node& value = bound.node(step.value);
  if (auto fault = bound.path_fault(value)) return fault;
  return step.section == UpdateSection::kSet ? set_operand_fault(bound, value) : section_fault(bound, step);
}

}  // namespace

std::optional<std::string> update_fault(const BoundExpression& bound) {
  const std::vector<UpdateStep>& steps = bound.tree().steps;
  for (const UpdateStep& step : steps) {
    if (step.section != UpdateSection::kSet) continue;
    if (auto fault = nested_list_append(bound, bound.node(step.value))) return fault;
  }
  std::vector<PathRange> paths;
  paths.reserve(steps.size());
  for (const UpdateStep& step : steps) {
    if (auto fault = bound.undefined_name(step.path)) return fault;
    paths.push_back(step.path);
  }
  if (auto fault = bound.path_clash(paths)) return fault;
  for (const UpdateStep& step : std::views::reverse(steps)) {
    if (step.section == UpdateSection::kRemove) continue;
    if (auto fault = bound.undefined_name(bound.node(step.value))) return fault;
  }
  for (const UpdateStep& step : std::views::reverse(steps)) {
    if (auto fault = step_fault(bound, step)) return fault;
  }
  return std::nullopt;
}

}  // namespace trestle
