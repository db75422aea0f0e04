// The parameters that expressions replaced: Expected, QueryFilter, ScanFilter, KeyConditions and AttributeUpdates. Each
// goes through the three stages of a request: read (shapes), constrain (the model's constraints), check (the contents
// of entries). The result is the model's form of the parameter.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "model/parameters.h"
#include "protocol/json/attribute_value_json.h"
#include "protocol/validation/constraints.h"

namespace trestle {

struct GivenCondition {
  std::string_view attribute;
  std::optional<std::string_view> comparison_text;
  std::optional<Noted<std::vector<Value>>> operands;
  std::optional<Noted<Value>> value;  // this and exists: in Expected only
  std::optional<bool> exists;
  std::optional<ComparisonOperator> comparison;  // set by constrain_conditions
};
using GivenConditions = std::vector<GivenCondition>;

Result<GivenConditions> read_expected(JsonElement json, const ValueReader& values);
Result<GivenConditions> read_conditions(JsonElement json, const ValueReader& values);

// Checks that each ComparisonOperator is known to DynamoDB, and present where it is required. path: "expected",
// "queryFilter"...
void constrain_conditions(std::optional<GivenConditions>& conditions, std::string_view path, bool comparison_required,
                          Constraints& constraints);

Result<LegacyConditions> check_expected(GivenConditions&& conditions);
Result<LegacyConditions> check_conditions(GivenConditions&& conditions);

// A ConditionalOperator joins conditions, so there must be two.
Result<void> check_conditional_operator(bool given, const std::optional<GivenConditions>& conditions);

struct GivenUpdate {
  std::string_view attribute;
  std::optional<std::string_view> action;
  std::optional<Noted<Value>> value;
};
using GivenUpdates = std::vector<GivenUpdate>;

Result<GivenUpdates> read_attribute_updates(JsonElement json, const ValueReader& values);
void constrain_attribute_updates(const std::optional<GivenUpdates>& updates, Constraints& constraints);
Result<std::vector<LegacyUpdate>> check_attribute_updates(GivenUpdates&& updates);

}  // namespace trestle
