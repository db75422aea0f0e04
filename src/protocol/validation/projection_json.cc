#include "protocol/validation/projection_json.h"

#include "protocol/json/attribute_value_json.h"

#include <algorithm>

namespace trestle {

Result<bool> UncheckedProjection::take(const JsonMember& member) {
  if (member.name == "ProjectionExpression") {
    TRY_INTO(expression, json_string(member.value));
    return true;
  }
  if (member.name == "AttributesToGet") {
    TRY_INTO(attributes, json_string_list(member.value));
    return true;
  }
  return false;
}

void UncheckedProjection::constrain(const MemberPath& member, Constraints& constraints) const {
  if (!attributes) return;
  const auto shown = [&] { return enum_value_set(*attributes); };
  constraints.count_at_least(attributes->size(), member, 1, shown);
  constraints.count_at_most(attributes->size(), member, 255, shown);
}

Result<void> UncheckedProjection::check() const {
  if (!attributes) return {};
  for (auto name = attributes->begin(); name != attributes->end(); ++name) {
    if (const auto fault = attribute_name_fault(*name)) return invalid(std::string(*fault));
    if (std::find(attributes->begin(), name, *name) == name) continue;
    return invalid_parameter(std::string("Duplicate value in attribute name: ").append(*name));
  }
  return {};
}

ReadProjection UncheckedProjection::release() const {
  ReadProjection projection;
  projection.expression = expression;
  if (attributes) projection.attributes_to_get.emplace(attributes->begin(), attributes->end());
  return projection;
}

}  // namespace trestle
