// The parts of an item that a read returns: document paths, applied to packed items without building a tree.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "expression/binding.h"

namespace trestle {

class ProjectionPaths {
 public:
  ProjectionPaths(ProjectionPaths&&) noexcept;
  ProjectionPaths& operator=(ProjectionPaths&&) noexcept;
  ~ProjectionPaths();

  // The item with only the selected parts. Selected list elements keep their order and close up, as in DynamoDB.
  Item apply(ItemView item) const;
  // The top-level attribute names, to check them against an index's projection.
  const std::vector<std::string_view>& attributes() const;
  // The attributes that start a nested path, for the rule that key attributes must be scalars.
  const std::vector<std::string_view>& nested_attributes() const;

  struct Impl;
  explicit ProjectionPaths(std::unique_ptr<Impl> impl);

 private:
  std::unique_ptr<Impl> impl_;
};

Result<ProjectionPaths> compile_projection(std::string_view text, Binding& binding);
// Compiles AttributesToGet: top-level names only, no paths. Cannot fail: the protocol layer has rejected duplicates.
ProjectionPaths compile_attributes_to_get(const std::vector<std::string>& names);

}  // namespace trestle
