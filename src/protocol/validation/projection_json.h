// ProjectionExpression and AttributesToGet, which all reads have.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "model/parameters.h"
#include "protocol/json/json_input.h"
#include "protocol/validation/constraints.h"

namespace trestle {

struct UncheckedProjection {
  // Reads the member if it is one of the two, and returns whether it is.
  Result<bool> take(const JsonMember& member);
  // AttributesToGet has 1 to 255 names.
  void constrain(const MemberPath& member, Constraints& constraints) const;
  // AttributesToGet must not contain a name twice.
  Result<void> check() const;
  ReadProjection release() const;

  std::optional<std::string_view> expression;
  std::optional<std::vector<std::string_view>> attributes;
};

}  // namespace trestle
