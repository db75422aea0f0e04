// The top-level attributes that a request names, for dynamodb:Attributes, without duplicates and in the order of first
// mention. Expressions that cannot be parsed are ignored, because the operation rejects such a request.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "expression/ast.h"
#include "model/parameters.h"

namespace trestle {

class NamedAttributes {
 public:
  void add(std::string_view name);
  // Adds all attributes of an item.
  void add(ItemView item);
  void add(const std::optional<std::string>& expression, Grammar grammar, const std::optional<NameMap>& names);
  void add(const WriteCondition& condition, const std::optional<NameMap>& names);
  void add(const ReadProjection& projection, const std::optional<NameMap>& names);
  void add(const std::optional<LegacyConditions>& conditions);

  std::vector<std::string> release() { return std::move(names_); }

 private:
  std::vector<std::string> names_;
};

}  // namespace trestle
