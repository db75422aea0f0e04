// Compiles a read's projection (ProjectionExpression or AttributesToGet), once and before its table is looked up.
#pragma once

#include <optional>

#include "expression/projection.h"
#include "model/parameters.h"

namespace trestle {

inline Result<std::optional<ProjectionPaths>> compile_read_projection(const ReadProjection& projection,
                                                                      Binding& binding) {
  std::optional<ProjectionPaths> paths;
  if (projection.expression) {
    TRY_INTO(paths, compile_projection(*projection.expression, binding));
  } else if (projection.attributes_to_get) {
    paths = compile_attributes_to_get(*projection.attributes_to_get);
  }
  return paths;
}

inline Result<std::optional<ProjectionPaths>> compile_read_projection(const ReadProjection& projection,
                                                                      const std::optional<NameMap>& names) {
  TRY_INTO(Binding binding, Binding::make_names(names, projection.expression.has_value()));
  TRY_INTO(auto paths, compile_read_projection(projection, binding));
  TRY(binding.all_used());
  return paths;
}

}  // namespace trestle
