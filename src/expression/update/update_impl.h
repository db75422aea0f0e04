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
  std::vector<DocumentPath> paths;  // what each step of the expression, or each legacy update, writes
  std::vector<DocumentPath> sorted_paths;
  std::vector<std::string_view> attributes;
  std::vector<std::string_view> nested_attributes;
  bool only_removes = false;

  // Once steps and paths are there.
  void finish();
};

Result<Item> apply_legacy(const std::vector<LegacyUpdate>& updates, ItemView item);

}  // namespace trestle
