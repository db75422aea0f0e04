// The implementation of an Update: an expression or legacy parameters.
#pragma once

#include "expression/bound_expression.h"
#include "expression/document_path.h"
#include "expression/update/update.h"

namespace trestle {

struct Update::Impl {
  std::optional<BoundExpression> bound;
  const std::vector<LegacyUpdate>* legacy = nullptr;  // borrowed from the request
  std::vector<DocumentStep> steps;
  std::vector<DocumentPath> paths;  // the paths written by each step of the expression, or by each legacy update
  std::vector<DocumentPath> sorted_paths;
  std::vector<std::string_view> attributes;
  std::vector<std::string_view> nested_attributes;
  bool only_removes = false;

  // Must be called when steps and paths are complete.
  void finish();
};

Result<Item> apply_legacy(const std::vector<LegacyUpdate>& updates, ItemView item);

}  // namespace trestle
