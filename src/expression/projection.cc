#include "expression/projection.h"

#include <algorithm>

#include "expression/bound_expression.h"
#include "expression/document_path.h"

namespace trestle {

struct ProjectionPaths::Impl {
  std::optional<BoundExpression> bound;  // names may point into its text
  std::vector<DocumentStep> steps;
  std::vector<DocumentPath> paths;  // sorted; they point into steps
  std::vector<std::string_view> attributes;
  std::vector<std::string_view> nested_attributes;

  void sort() {
    std::ranges::sort(paths, [](DocumentPath a, DocumentPath b) { return compare_paths(a, b) < 0; });
  }
};

ProjectionPaths::ProjectionPaths(ProjectionPaths&&) noexcept = default;
ProjectionPaths& ProjectionPaths::operator=(ProjectionPaths&&) noexcept = default;
ProjectionPaths::~ProjectionPaths() = default;
ProjectionPaths::ProjectionPaths(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

const std::vector<std::string_view>& ProjectionPaths::attributes() const { return impl_->attributes; }
const std::vector<std::string_view>& ProjectionPaths::nested_attributes() const { return impl_->nested_attributes; }

Item ProjectionPaths::apply(ItemView item) const { return select_parts(item, impl_->paths); }

Result<ProjectionPaths> compile_projection(std::string_view text, Binding& binding) {
  constexpr std::string_view kParameter = "ProjectionExpression";
  TRY_INTO(BoundExpression bound, BoundExpression::make(text, Grammar::kProjection, kParameter, binding));
  const std::vector<PathRange>& paths = bound.tree().paths;
  for (PathRange path : paths) {
    if (const auto fault = bound.path_fault(path)) return invalid_expression(kParameter, *fault);
  }
  if (const auto fault = bound.path_clash(paths)) return invalid_expression(kParameter, *fault);
  auto impl = std::make_unique<ProjectionPaths::Impl>();
  impl->attributes = bound.heads();
  impl->nested_attributes = bound.nested_heads();
  impl->steps = bound.steps_of(paths);
  impl->paths.reserve(paths.size());
  size_t at = 0;
  for (PathRange path : paths) {
    impl->paths.push_back(DocumentPath(impl->steps).subspan(at, path.count));
    at += path.count;
  }
  impl->sort();
  impl->bound = std::move(bound);
  return ProjectionPaths(std::move(impl));
}

ProjectionPaths compile_attributes_to_get(const std::vector<std::string>& names) {
  auto impl = std::make_unique<ProjectionPaths::Impl>();
  impl->attributes.assign(names.begin(), names.end());
  impl->steps.reserve(names.size());
  for (const std::string& name : names) impl->steps.push_back({.name = name});
  for (size_t i = 0; i < names.size(); ++i) impl->paths.push_back(DocumentPath(impl->steps).subspan(i, 1));
  impl->sort();
  return ProjectionPaths(std::move(impl));
}

}  // namespace trestle
