#include "expression/operand_check.h"

#include <fmt/format.h>

#include "model/limits.h"

namespace trestle {
namespace {

using Fault = std::optional<std::string>;

// The type of an operand if it is known without reading an item.
std::optional<ValueType> known_type(const BoundExpression& bound, const Node& operand) {
  if (operand.kind == NodeKind::kValue) return bound.value(operand).type();
  if (operand.kind == NodeKind::kFunction && operand.function == Function::kSize) return ValueType::kNumber;
  return std::nullopt;
}

std::string wrong_type(std::string_view operation, std::string_view type) {
  return fmt::format("Incorrect operand type for operator or function; operator or function: {}, operand type: {}",
                     operation, type);
}

// An error for the first operand whose type is known and not allowed.
template <class Allowed>
Fault type_fault(const BoundExpression& bound, const Node& parent, std::string_view operation, Allowed allowed) {
  for (uint32_t i = 0; i < parent.count; ++i) {
    const auto type = known_type(bound, bound.tree().child(parent, i));
    if (type && !allowed(*type)) return wrong_type(operation, type_name(*type));
  }
  return std::nullopt;
}

Fault distinct_fault(const BoundExpression& bound, const Node& parent, std::string_view operation) {
  const Node& first = bound.tree().child(parent, 0);
  if (first.kind != NodeKind::kPath) return std::nullopt;
  const PathRange path{first.first, first.count};
  for (uint32_t i = 1; i < parent.count; ++i) {
    const Node& other = bound.tree().child(parent, i);
    if (other.kind != NodeKind::kPath) continue;
    if (!bound.same_path(path, {other.first, other.count})) continue;
    return operands_not_distinct(operation, bound.path_text(path));
  }
  return std::nullopt;
}

// ---- Functions.

uint32_t operand_count(Function function) {
  switch (function) {
    case Function::kAttributeExists:
    case Function::kAttributeNotExists:
    case Function::kSize:
      return 1;
    default:
      return 2;
  }
}

Fault attribute_type_fault(const BoundExpression& bound, const Node& node) {
  const std::string_view name = function_name(node.function);
  const Node& operand = bound.tree().child(node, 1);
  const auto type = known_type(bound, operand);
  if (!type) return wrong_type(name, "{NS,SS,L,BS,N,M,B,BOOL,NULL,S}");
  if (*type != ValueType::kString) return wrong_type(name, type_name(*type));
  const std::string_view wanted = bound.value(operand).scalar();
  for (int i = 0; i <= static_cast<int>(ValueType::kMap); ++i) {
    if (type_name(static_cast<ValueType>(i)) == wanted) return std::nullopt;
  }
  return fmt::format("Invalid attribute type name found; type: {}, valid types: {{B,NULL,SS,BOOL,L,BS,N,NS,S,M}}",
                     wanted);
}

Fault function_operand_fault(const BoundExpression& bound, const Node& node) {
  const std::string_view name = function_name(node.function);
  switch (node.function) {
    case Function::kAttributeExists:
    case Function::kAttributeNotExists:
      if (bound.tree().child(node, 0).kind == NodeKind::kPath) return std::nullopt;
      return fmt::format("Operator or function requires a document path; operator or function: {}", name);
    case Function::kAttributeType:
      return attribute_type_fault(bound, node);
    case Function::kBeginsWith:
      return type_fault(bound, node, name,
                        [](ValueType t) { return t == ValueType::kString || t == ValueType::kBinary; });
    case Function::kSize:
      return type_fault(bound, node, name, [](ValueType t) {
        return t != ValueType::kNumber && t != ValueType::kBool && t != ValueType::kNull;
      });
    default:
      return std::nullopt;
  }
}

// ---- BETWEEN.

// "AttributeValue: {S:abc}", and for B the text that Java prints for a buffer. The value must be a scalar.
std::string value_text(ValueView value) {
  const std::string_view text = value.scalar();
  if (value.type() == ValueType::kBinary) {
    return fmt::format("AttributeValue: {{B:java.nio.HeapByteBuffer[pos=0 lim={0} cap={0}]}}", text.size());
  }
  return fmt::format("AttributeValue: {{{}:{}}}", type_name(value.type()), text);
}

Fault bounds_fault(const BoundExpression& bound, const Node& node) {
  const Node& lower_node = bound.tree().child(node, 1);
  const Node& upper_node = bound.tree().child(node, 2);
  if (lower_node.kind != NodeKind::kValue || upper_node.kind != NodeKind::kValue) return std::nullopt;
  const ValueView lower = bound.value(lower_node);
  const ValueView upper = bound.value(upper_node);
  std::string_view rule;
  if (lower.type() != upper.type()) {
    rule = "same data type for lower and upper bounds";
  } else if (compare(lower, upper).value() > 0) {
    rule = "upper bound to be greater than or equal to lower bound";
  } else {
    return std::nullopt;
  }
  return fmt::format("The BETWEEN operator requires {}; lower bound operand: {}, upper bound operand: {}", rule,
                     value_text(lower), value_text(upper));
}

// ---- In DynamoDB's order: operand counts, then distinct operands, then types; inner functions first.

Fault count_fault(const BoundExpression& bound, const Node& node) {
  if (node.kind == NodeKind::kPath || node.kind == NodeKind::kValue) return std::nullopt;
  for (uint32_t i = 0; i < node.count; ++i) {
    if (auto fault = count_fault(bound, bound.tree().child(node, i))) return fault;
  }
  if (node.kind != NodeKind::kFunction || node.count == operand_count(node.function)) return std::nullopt;
  return wrong_operand_count(function_name(node.function), node.count);
}

std::string_view operation_text(const Node& node) {
  switch (node.kind) {
    case NodeKind::kComparison:
      return comparison_text(node.comparison);
    case NodeKind::kBetween:
      return "BETWEEN";
    case NodeKind::kIn:
      return "IN";
    default:
      return function_name(node.function);
  }
}

Fault condition_operand_fault(const BoundExpression& bound, const Node& node) {
  if (node.kind == NodeKind::kPath || node.kind == NodeKind::kValue) return std::nullopt;
  for (uint32_t i = 0; i < node.count; ++i) {
    if (auto fault = condition_operand_fault(bound, bound.tree().child(node, i))) return fault;
  }
  if (node.kind == NodeKind::kFunction) return function_operand_fault(bound, node);
  const bool is_ordered =
      node.kind == NodeKind::kBetween || (node.kind == NodeKind::kComparison && node.comparison >= Comparison::kLess);
  if (!is_ordered) return std::nullopt;
  if (auto fault = type_fault(bound, node, operation_text(node), is_scalar)) return fault;
  return node.kind == NodeKind::kBetween ? bounds_fault(bound, node) : std::nullopt;
}

}  // namespace

std::string too_many_operands(size_t operands) {
  return fmt::format("The IN operator is provided with too many operands; number of operands: {}", operands);
}

std::string wrong_operand_count(std::string_view function, size_t operands) {
  return fmt::format(
      "Incorrect number of operands for operator or function; operator or function: {}, number of operands: {}",
      function, operands);
}

std::string operands_not_distinct(std::string_view operation, std::string_view first_operand) {
  return fmt::format(
      "The first operand must be distinct from the remaining operands for this operator or function; operator: {}, "
      "first operand: {}",
      operation, first_operand);
}

std::optional<std::string> condition_fault(const BoundExpression& bound, const Node& condition) {
  if (auto fault = bound.path_fault(condition)) return fault;
  if (auto fault = count_fault(bound, condition)) return fault;
  if (condition.kind == NodeKind::kIn && condition.count - 1 > kInOperandsMax) {
    return too_many_operands(condition.count - 1);
  }
  if (auto fault = distinct_fault(bound, condition, operation_text(condition))) return fault;
  return condition_operand_fault(bound, condition);
}

}  // namespace trestle
