// A parsed expression together with the names and values of a request: the basis of conditions, projections and
// updates. Borrows the request's names and values; shares the tree with the cache. Immutable.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "expression/ast.h"
#include "expression/binding.h"
#include "expression/document_path.h"

namespace trestle {

class BoundExpression {
 public:
  // Parses the text, or finds it in the cache, and looks up every placeholder. Placeholders that the request does not
  // define stay undefined, because other errors may take precedence: see path_fault(). `parameter`: for example
  // "ConditionExpression".
  static Result<BoundExpression> make(std::string_view text, Grammar grammar, std::string_view parameter,
                                      Binding& binding);

  const ParsedExpression& tree() const { return *tree_; }
  const Node& node(uint32_t i) const { return tree_->nodes[i]; }
  std::string_view name(const PathElement& element) const { return names_[element.name]; }
  ValueView value(const Node& node) const { return values_[node.first]; }

  // The first error, from the left, in a path or subtree: an undefined placeholder ("An expression attribute name used
  // in the document path is not defined; ...") or a path that is too long.
  std::optional<std::string> path_fault(PathRange path) const;
  std::optional<std::string> path_fault(const Node& node) const;
  // The first undefined name in a path, or in all paths below a node.
  std::optional<std::string> undefined_name(PathRange path) const;
  std::optional<std::string> undefined_name(const Node& node) const;

  // The value at a path of an item.
  std::optional<ValueView> resolve(PathRange path, ItemView item) const;

  bool same_path(PathRange a, PathRange b) const;
  // The steps of all paths, one path after the other.
  std::vector<DocumentStep> steps_of(const std::vector<PathRange>& paths) const;
  // "[a, [1], b]".
  std::string path_text(PathRange path) const;
  // "Two document paths overlap ..." or "... conflict ...", if two of the paths do.
  std::optional<std::string> path_clash(const std::vector<PathRange>& paths) const;

  // The top-level attribute names, each slot once; and those that start nested paths.
  std::vector<std::string_view> heads() const { return names_of(tree_->heads); }
  std::vector<std::string_view> nested_heads() const { return names_of(tree_->nested_heads); }

 private:
  std::vector<std::string_view> names_of(const std::vector<uint32_t>& slots) const;
  std::strong_ordering compare_elements(const PathElement& a, const PathElement& b) const;

  std::shared_ptr<const ParsedExpression> tree_;
  std::vector<std::string_view> names_;  // data() is null if undefined
  std::vector<ValueView> values_;        // no bytes if undefined
};

// "Invalid ConditionExpression: ..."
std::unexpected<Error> invalid_expression(std::string_view parameter, std::string_view message);

}  // namespace trestle
