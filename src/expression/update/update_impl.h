// The inside of an Update: an expression, or the legacy form.
#pragma once

#include "expression/bound_expression.h"
#include "expression/document_path.h"
#include "expression/update/update.h"

namespace trestle {

struct Update::Impl {
  std::optional<BoundExpression> bound;
  const std::vector<LegacyUpdate>* legacy = nullptr;  // the request's
  std::vector<DocumentStep> steps;
  std::vector<DocumentPath> paths;  // the paths written by each step of the expression, or by each legacy update
  std::vector<DocumentPath> sorted_paths;
  std::vector<std::string_view> attributes;
  std::vector<std::string_view> nested_attributes;
  bool only_removes = false;

  // Call when steps and paths are complete.
  void finish();
};

Result<Item> apply_legacy(const std::vector<LegacyUpdate>& updates, ItemView item);

}  // namespace trestle
