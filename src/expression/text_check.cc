#include "expression/text_check.h"

#include <fmt/format.h>

#include <array>

#include "model/limits.h"
#include "model/reserved_words.h"

namespace trestle {
namespace {

using Fault = std::optional<std::string>;

bool is_update_function(Function f) { return f == Function::kIfNotExists || f == Function::kListAppend; }

class TextCheck {
 public:
  explicit TextCheck(const ParsedExpression& tree) : tree_(tree) {}

  Fault check() const {
    if (const size_t count = operators(); count > kExpressionOperatorsMax) {
      return fmt::format("The expression contains too many operators; operator count: {}", count);
    }
    switch (tree_.grammar) {
      case Grammar::kCondition:
        return check_node(tree_.nodes[tree_.root], true);
      case Grammar::kUpdate:
        return check_sections();
      case Grammar::kProjection:
        break;
    }
    for (PathRange path : tree_.paths) {
      if (auto fault = check_path(path)) return fault;
    }
    return std::nullopt;
  }

 private:
  // The number of operators and functions. An AND or OR of n conditions counts as n - 1 operators.
  size_t operators() const {
    size_t count = 0;
    for (const Node& node : tree_.nodes) {
      if (node.kind == NodeKind::kPath || node.kind == NodeKind::kValue) continue;
      count += node.kind == NodeKind::kAnd || node.kind == NodeKind::kOr ? node.count - 1 : 1;
    }
    return count;
  }

  Fault check_path(PathRange path) const {
    for (uint32_t i = path.first; i < path.first + path.count; ++i) {
      const PathElement& element = tree_.elements[i];
      if (element.is_index()) {
        if (element.index <= kListIndexMax) continue;
        const std::string_view rest = std::string_view(tree_.text).substr(element.text_at);
        return fmt::format("List index is not within the allowable range; index: [{}]",
                           rest.substr(0, rest.find_first_not_of("0123456789")));
      }
      const NameSlot& name = tree_.names[element.name];
      if (!name.is_placeholder && is_reserved_word(name.text)) {
        return fmt::format("Attribute name is a reserved keyword; reserved keyword: {}", name.text);
      }
    }
    return std::nullopt;
  }

  Fault check_function(const Node& node, bool is_condition) const {
    const bool in_update = tree_.grammar == Grammar::kUpdate;
    if (node.function == Function::kUnknown) return fmt::format("Invalid function name; function: {}", node.name);
    if (is_update_function(node.function) != in_update) {
      return fmt::format("The function is not allowed in {} expression; function: {}",
                         in_update ? "an update" : "a condition", node.name);
    }
    if (!in_update && is_condition != (node.function != Function::kSize)) {
      return fmt::format("The function is not allowed to be used this way in an expression; function: {}", node.name);
    }
    return std::nullopt;
  }

  // `is_condition`: whether the context requires a condition rather than an operand.
  Fault check_node(const Node& node, bool is_condition) const {
    if (node.kind == NodeKind::kPath) return check_path({node.first, node.count});
    if (node.kind == NodeKind::kValue) return std::nullopt;
    if (node.kind == NodeKind::kFunction) {
      if (auto fault = check_function(node, is_condition)) return fault;
    }
    const bool are_conditions = node.kind >= NodeKind::kAnd;
    for (uint32_t i = 0; i < node.count; ++i) {
      if (auto fault = check_node(tree_.child(node, i), are_conditions)) return fault;
    }
    return std::nullopt;
  }

  // Checks the sections in the order of their first occurrence, each with all its steps.
  Fault check_sections() const {
    constexpr std::array<std::string_view, 4> kNames = {"SET", "REMOVE", "ADD", "DELETE"};
    std::array<bool, 4> done{};
    for (const UpdateStep& first : tree_.steps) {
      const auto section = static_cast<size_t>(first.section);
      if (done[section]) continue;
      done[section] = true;
      bool repeated = false;
      for (const UpdateStep& step : tree_.steps) {
        if (step.section != first.section) continue;
        repeated |= step.clause != first.clause;
        if (auto fault = check_path(step.path)) return fault;
        if (step.section == UpdateSection::kRemove) continue;
        if (auto fault = check_node(tree_.nodes[step.value], false)) return fault;
      }
      if (repeated) {
        return fmt::format("The \"{}\" section can only be used once in an update expression;", kNames[section]);
      }
    }
    return std::nullopt;
  }

  const ParsedExpression& tree_;
};

}  // namespace

std::optional<std::string> text_fault(const ParsedExpression& tree) { return TextCheck(tree).check(); }

}  // namespace trestle
