#include "expression/bound_expression.h"

#include <fmt/format.h>

#include <algorithm>

#include "expression/expression_cache.h"

namespace trestle {
namespace {

constexpr uint32_t kPathElementsMax = 32;

}  // namespace

std::unexpected<Error> invalid_expression(std::string_view parameter, std::string_view message) {
  return invalid(fmt::format("Invalid {}: {}", parameter, message));
}

Result<BoundExpression> BoundExpression::make(std::string_view text, Grammar grammar, std::string_view parameter,
                                              Binding& binding) {
  auto parsed = cached_expression(text, grammar);
  if (!parsed) return invalid_expression(parameter, parsed.error());
  BoundExpression bound;
  bound.tree_ = *std::move(parsed);
  const ParsedExpression& tree = *bound.tree_;
  bound.names_.reserve(tree.names.size());
  for (const NameSlot& slot : tree.names) {
    bound.names_.push_back(slot.is_placeholder ? binding.name(slot.text).value_or(std::string_view()) : slot.text);
  }
  bound.values_.reserve(tree.values.size());
  for (std::string_view placeholder : tree.values) {
    bound.values_.push_back(binding.value(placeholder).value_or(ValueView()));
  }
  return bound;
}

std::optional<std::string> BoundExpression::undefined_name(PathRange path) const {
  for (uint32_t i = path.first; i < path.first + path.count; ++i) {
    const PathElement& element = tree_->elements[i];
    if (element.is_index() || names_[element.name].data() != nullptr) continue;
    return fmt::format("An expression attribute name used in the document path is not defined; attribute name: {}",
                       tree_->names[element.name].text);
  }
  return std::nullopt;
}

std::optional<std::string> BoundExpression::undefined_name(const Node& node) const {
  if (node.kind == NodeKind::kPath) return undefined_name(PathRange{node.first, node.count});
  if (node.kind == NodeKind::kValue) return std::nullopt;
  for (uint32_t i = 0; i < node.count; ++i) {
    if (auto fault = undefined_name(tree_->child(node, i))) return fault;
  }
  return std::nullopt;
}

std::optional<std::string> BoundExpression::path_fault(PathRange path) const {
  if (auto fault = undefined_name(path)) return fault;
  if (path.count <= kPathElementsMax) return std::nullopt;
  return fmt::format("The document path has too many nesting levels; nesting levels: {}", path.count);
}

std::optional<std::string> BoundExpression::path_fault(const Node& node) const {
  if (node.kind == NodeKind::kPath) return path_fault(PathRange{node.first, node.count});
  if (node.kind == NodeKind::kValue) {
    if (!values_[node.first].bytes().empty()) return std::nullopt;
    return fmt::format("An expression attribute value used in expression is not defined; attribute value: {}",
                       tree_->values[node.first]);
  }
  for (uint32_t i = 0; i < node.count; ++i) {
    if (auto fault = path_fault(tree_->child(node, i))) return fault;
  }
  return std::nullopt;
}

std::optional<ValueView> BoundExpression::resolve(PathRange path, ItemView item) const {
  if (item.empty()) return std::nullopt;
  const PathElement* element = &tree_->elements[path.first];
  std::optional<ValueView> value = item.find(names_[element->name]);
  for (uint32_t i = 1; i < path.count && value; ++i) {
    ++element;
    if (element->is_index()) {
      if (value->type() != ValueType::kList) return std::nullopt;
      value = value->list().at(element->index);
    } else {
      if (value->type() != ValueType::kMap) return std::nullopt;
      value = value->map().find(names_[element->name]);
    }
  }
  return value;
}

std::strong_ordering BoundExpression::compare_elements(const PathElement& a, const PathElement& b) const {
  if (a.is_index() != b.is_index()) return a.is_index() ? std::strong_ordering::less : std::strong_ordering::greater;
  if (a.is_index()) return a.index <=> b.index;
  return names_[a.name] <=> names_[b.name];
}

bool BoundExpression::same_path(PathRange a, PathRange b) const {
  if (a.count != b.count) return false;
  for (uint32_t i = 0; i < a.count; ++i) {
    if (compare_elements(tree_->elements[a.first + i], tree_->elements[b.first + i]) != 0) return false;
  }
  return true;
}

std::vector<DocumentStep> BoundExpression::steps_of(const std::vector<PathRange>& paths) const {
  std::vector<DocumentStep> steps;
  size_t count = 0;
  for (PathRange path : paths) count += path.count;
  steps.reserve(count);
  for (PathRange path : paths) {
    for (uint32_t i = path.first; i < path.first + path.count; ++i) {
      const PathElement& element = tree_->elements[i];
      if (element.is_index()) {
        steps.push_back({.name = {}, .index = element.index, .is_index = true});
      } else {
        steps.push_back({.name = names_[element.name]});
      }
    }
  }
  return steps;
}

std::string BoundExpression::path_text(PathRange path) const {
  std::string text = "[";
  for (uint32_t i = 0; i < path.count; ++i) {
    if (i > 0) text += ", ";
    const PathElement& element = tree_->elements[path.first + i];
    if (element.is_index()) {
      fmt::format_to(std::back_inserter(text), "[{}]", element.index);
    } else {
      text += names_[element.name];
    }
  }
  return text + "]";
}

std::optional<std::string> BoundExpression::path_clash(const std::vector<PathRange>& paths) const {
  enum class Clash { kNone, kOverlap, kConflict };
  const auto clash = [&](PathRange a, PathRange b) {
    for (uint32_t i = 0; i < a.count && i < b.count; ++i) {
      const PathElement& x = tree_->elements[a.first + i];
      const PathElement& y = tree_->elements[b.first + i];
      if (x.is_index() != y.is_index()) return Clash::kConflict;
      if (compare_elements(x, y) != 0) return Clash::kNone;
    }
    return Clash::kOverlap;
  };
  const auto message = [&](std::string_view verb, PathRange a, PathRange b) {
    return fmt::format(
        "Two document paths {} with each other; must remove or rewrite one of these paths; "
        "path one: {}, path two: {}",
        verb, path_text(a), path_text(b));
  };
  // With many paths, sort them first: a clash then shows between neighbours. Only if there is one, search for the first
  // clash in the order of the text.
  if (paths.size() > 8) {
    std::vector<PathRange> sorted = paths;
    std::ranges::sort(sorted, [&](PathRange a, PathRange b) {
      for (uint32_t i = 0; i < a.count && i < b.count; ++i) {
        const auto order = compare_elements(tree_->elements[a.first + i], tree_->elements[b.first + i]);
        if (order != 0) return order < 0;
      }
      return a.count < b.count;
    });
    const auto neighbours_clash = [&](PathRange a, PathRange b) { return clash(a, b) != Clash::kNone; };
    if (std::ranges::adjacent_find(sorted, neighbours_clash) == sorted.end()) return std::nullopt;
  }
  std::optional<std::string> conflict;
  for (size_t i = 1; i < paths.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      const Clash found = clash(paths[j], paths[i]);
      if (found == Clash::kOverlap) return message("overlap", paths[j], paths[i]);
      if (found == Clash::kConflict && !conflict) conflict = message("conflict", paths[j], paths[i]);
    }
  }
  return conflict;
}

std::vector<std::string_view> BoundExpression::names_of(const std::vector<uint32_t>& slots) const {
  std::vector<std::string_view> names;
  names.reserve(slots.size());
  for (uint32_t slot : slots) names.push_back(names_[slot]);
  return names;
}

}  // namespace trestle
