// The legacy parameters that expressions replaced: Expected, QueryFilter, ScanFilter, KeyConditions and
// AttributeUpdates. Each goes through the three stages of a request: read (shapes), constrain (the model's
// constraints), check (the contents of entries). The result is the parameter as a model type.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "model/parameters.h"
#include "protocol/json/attribute_value_json.h"
#include "protocol/validation/constraints.h"

namespace trestle {

struct UncheckedCondition {
  std::string_view attribute;
  std::optional<std::string_view> comparison_text;
  std::optional<Noted<std::vector<Value>>> operands;
  std::optional<Noted<Value>> value;  // `value` and `exists` occur only in Expected
  std::optional<bool> exists;
  std::optional<ComparisonOperator> comparison;  // set by constrain_conditions
};
using UncheckedConditions = std::vector<UncheckedCondition>;

Result<UncheckedConditions> read_expected(JsonElement json, const ValueReader& values);
Result<UncheckedConditions> read_conditions(JsonElement json, const ValueReader& values);

// Checks that each ComparisonOperator is known, and present where it is required. `path`: "expected", "queryFilter"...
void constrain_conditions(std::optional<UncheckedConditions>& conditions, std::string_view path,
                          bool comparison_required, Constraints& constraints);

Result<LegacyConditions> check_expected(UncheckedConditions&& conditions);
Result<LegacyConditions> check_conditions(UncheckedConditions&& conditions);

// A ConditionalOperator joins conditions, so it requires at least two.
Result<void> check_conditional_operator(bool present, const std::optional<UncheckedConditions>& conditions);

struct UncheckedUpdate {
  std::string_view attribute;
  std::optional<std::string_view> action;
  std::optional<Noted<Value>> value;
};
using UncheckedUpdates = std::vector<UncheckedUpdate>;

Result<UncheckedUpdates> read_attribute_updates(JsonElement json, const ValueReader& values);
void constrain_attribute_updates(const std::optional<UncheckedUpdates>& updates, Constraints& constraints);
Result<std::vector<LegacyUpdate>> check_attribute_updates(UncheckedUpdates&& updates);

}  // namespace trestle
