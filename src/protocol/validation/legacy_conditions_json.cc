#include "protocol/validation/legacy_conditions_json.h"

#include <algorithm>

#include "model/shapes/item_enumerations.h"

namespace trestle {
namespace {

Result<void> check_attribute_name(std::string_view name) {
  if (const auto fault = attribute_name_fault(name)) return invalid(std::string(*fault));
  return {};
}

std::string for_attribute(std::string_view message, std::string_view attribute) {
  return std::string(message).append(" for Attribute: ").append(attribute);
}

bool is_argument_count(ComparisonOperator comparison, size_t count) {
  switch (comparison) {
    case ComparisonOperator::kNull:
    case ComparisonOperator::kNotNull:
      return count == 0;
    case ComparisonOperator::kIn:
      return count > 0;
    case ComparisonOperator::kBetween:
      return count == 2;
    default:
      return count == 1;
  }
}

// Whether the operator accepts an operand of this type.
bool is_argument_type(ComparisonOperator comparison, ValueType type) {
  switch (comparison) {
    case ComparisonOperator::kEq:
    case ComparisonOperator::kNe:
    case ComparisonOperator::kNull:
    case ComparisonOperator::kNotNull:
      return true;
    case ComparisonOperator::kContains:
    case ComparisonOperator::kNotContains:
      return is_scalar(type) || type == ValueType::kBool || type == ValueType::kNull;
    case ComparisonOperator::kBeginsWith:
      return type == ValueType::kString || type == ValueType::kBinary;
    default:
      return is_scalar(type);
  }
}

// Checks the operands of a comparison: their number, that they have the same type, that the operator accepts that type,
// and that the bounds of a range are in order.
Result<void> check_operands(ComparisonOperator comparison, std::string_view comparison_text,
                            const std::vector<Value>& operands, size_t count) {
  if (!is_argument_count(comparison, count)) {
    return invalid_parameter("Invalid number of argument(s) for the " + std::string(comparison_text) +
                             " ComparisonOperator");
  }
  if (operands.empty()) return {};
  const ValueType type = operands[0].view().type();
  for (const Value& operand : operands) {
    if (operand.view().type() != type) {
      return invalid_parameter("AttributeValues inside AttributeValueList must be of same type");
    }
  }
  if (!is_argument_type(comparison, type)) {
    return invalid_parameter("ComparisonOperator " + std::string(comparison_text) + " is not valid for " +
                             std::string(type_name(type)) + " AttributeValue type");
  }
  if (comparison == ComparisonOperator::kBetween &&
      compare(operands[0], operands[1]) == std::strong_ordering::greater) {
    return invalid("The BETWEEN condition was provided a range where the lower bound is greater than the upper bound");
  }
  return {};
}

LegacyCondition released(UncheckedCondition& unchecked) {
  LegacyCondition condition;
  condition.attribute = unchecked.attribute;
  condition.comparison = unchecked.comparison;
  if (unchecked.operands) condition.operands = std::move(unchecked.operands->value);
  if (unchecked.value) condition.value = std::move(unchecked.value->value);
  condition.exists = unchecked.exists;
  return condition;
}

Result<void> check_expected_entry(const UncheckedCondition& unchecked) {
  const bool has_list = unchecked.operands.has_value();
  const bool has_value = unchecked.value.has_value();
  if (has_list && has_value) {
    return invalid_parameter(
        for_attribute("Value and AttributeValueList cannot be used together", unchecked.attribute));
  }
  if (unchecked.value && unchecked.value->fault) return invalid(*unchecked.value->fault);
  if (unchecked.operands && unchecked.operands->fault) return invalid(*unchecked.operands->fault);
  if (unchecked.comparison) {
    if (unchecked.exists) {
      return invalid_parameter(
          for_attribute("Exists and ComparisonOperator cannot be used together", unchecked.attribute));
    }
    const bool takes_none = is_argument_count(*unchecked.comparison, 0);
    if (!takes_none && !has_list && !has_value) {
      return invalid_parameter(for_attribute("Value or AttributeValueList must be used with ComparisonOperator: " +
                                                 std::string(*unchecked.comparison_text),
                                             unchecked.attribute));
    }
    if (has_list) {
      return check_operands(*unchecked.comparison, *unchecked.comparison_text, unchecked.operands->value,
                            unchecked.operands->value.size());
    }
    std::vector<Value> operands;
    if (has_value) operands.push_back(unchecked.value->value);
    return check_operands(*unchecked.comparison, *unchecked.comparison_text, operands, operands.size());
  }
  if (has_list) {
    return invalid_parameter(
        for_attribute("AttributeValueList can only be used with a ComparisonOperator", unchecked.attribute));
  }
  const bool must_exist = unchecked.exists.value_or(true);
  if (must_exist && !has_value) {
    return invalid_parameter(for_attribute(
        unchecked.exists ? "Value must be provided when Exists is true" : "Value must be provided when Exists is null",
        unchecked.attribute));
  }
  if (!must_exist && has_value) {
    return invalid_parameter(for_attribute("Value cannot be used when Exists is false", unchecked.attribute));
  }
  return {};
}

// A map of conditions, each a structure called `name`. Only those of Expected have Value and Exists.
Result<UncheckedConditions> read_map(JsonElement json, const ValueReader& values, std::string_view name,
                                     bool is_expected) {
  TRY_INTO(const JsonInput map, json_map(json, name));
  UncheckedConditions conditions;
  for (const JsonMember entry : map) {
    TRY_INTO(const JsonInput members, json_structure(entry.value, name, JsonPlace::kElement));
    UncheckedCondition& unchecked = conditions.emplace_back();
    unchecked.attribute = entry.name;
    for (const JsonMember member : members) {
      if (member.name == "ComparisonOperator") {
        TRY_INTO(unchecked.comparison_text, json_string(member.value));
      } else if (member.name == "AttributeValueList") {
        TRY_INTO(unchecked.operands, values.values(member.value));
      } else if (is_expected && member.name == "Value") {
        TRY_INTO(unchecked.value, values.value(member.value, JsonPlace::kMember));
      } else if (is_expected && member.name == "Exists") {
        TRY_INTO(unchecked.exists, json_boolean(member.value));
      }
    }
  }
  return conditions;
}

}  // namespace

Result<UncheckedConditions> read_expected(JsonElement json, const ValueReader& values) {
  return read_map(json, values, "ExpectedAttributeValue", true);
}

Result<UncheckedConditions> read_conditions(JsonElement json, const ValueReader& values) {
  return read_map(json, values, "Condition", false);
}

void constrain_conditions(std::optional<UncheckedConditions>& conditions, std::string_view path,
                          bool comparison_required, Constraints& constraints) {
  if (!conditions) return;
  const MemberPath map(path);
  for (UncheckedCondition& unchecked : *conditions) {
    const MemberPath element(&map, "member", unchecked.attribute);
    const MemberPath comparison(&element, "comparisonOperator");
    if (comparison_required) constraints.not_null(unchecked.comparison_text.has_value(), comparison);
    constraints.one_of(unchecked.comparison_text, comparison, kComparisons, unchecked.comparison);
  }
}

Result<LegacyConditions> check_expected(UncheckedConditions&& conditions) {
  LegacyConditions checked;
  for (UncheckedCondition& unchecked : conditions) {
    TRY(check_attribute_name(unchecked.attribute));
    TRY(check_expected_entry(unchecked));
    checked.push_back(released(unchecked));
  }
  return checked;
}

Result<LegacyConditions> check_conditions(UncheckedConditions&& conditions) {
  LegacyConditions checked;
  for (UncheckedCondition& unchecked : conditions) {
    TRY(check_attribute_name(unchecked.attribute));
    if (unchecked.operands && unchecked.operands->fault) return invalid(*unchecked.operands->fault);
    static const std::vector<Value> kNone;
    const std::vector<Value>& operands = unchecked.operands ? unchecked.operands->value : kNone;
    TRY(check_operands(*unchecked.comparison, *unchecked.comparison_text, operands, operands.size()));
    checked.push_back(released(unchecked));
  }
  return checked;
}

Result<void> check_conditional_operator(bool present, const std::optional<UncheckedConditions>& conditions) {
  if (!present) return {};
  if (!conditions || conditions->empty())
    return invalid("ConditionalOperator cannot be used without Filter or Expected");
  if (conditions->size() >= 2) return {};
  return invalid("ConditionalOperator can only be used when Filter or Expected has two or more elements");
}

Result<UncheckedUpdates> read_attribute_updates(JsonElement json, const ValueReader& values) {
  TRY_INTO(const JsonInput map, json_map(json, "AttributeValueUpdate"));
  UncheckedUpdates updates;
  for (const JsonMember entry : map) {
    TRY_INTO(const JsonInput members, json_structure(entry.value, "AttributeValueUpdate", JsonPlace::kElement));
    UncheckedUpdate& unchecked = updates.emplace_back();
    unchecked.attribute = entry.name;
    for (const JsonMember member : members) {
      if (member.name == "Action") {
        TRY_INTO(unchecked.action, json_string(member.value));
      } else if (member.name == "Value") {
        TRY_INTO(unchecked.value, values.value(member.value, JsonPlace::kMember));
      }
    }
  }
  return updates;
}

void constrain_attribute_updates(const std::optional<UncheckedUpdates>& updates, Constraints& constraints) {
  if (!updates) return;
  const MemberPath map("attributeUpdates");
  for (const UncheckedUpdate& unchecked : *updates) {
    const MemberPath element(&map, "member", unchecked.attribute);
    const MemberPath path(&element, "action");
    UpdateAction action;
    constraints.one_of(unchecked.action, path, kUpdateActions, action);
  }
}

Result<std::vector<LegacyUpdate>> check_attribute_updates(UncheckedUpdates&& updates) {
  std::vector<LegacyUpdate> checked;
  for (UncheckedUpdate& unchecked : updates) {
    TRY(check_attribute_name(unchecked.attribute));
    LegacyUpdate& update = checked.emplace_back();
    update.attribute = unchecked.attribute;
    for (const auto& choice : kUpdateActions) {
      if (unchecked.action == choice.name) update.action = choice.value;
    }
    if (!unchecked.value) {
      if (update.action == UpdateAction::kDelete) continue;
      return invalid_parameter("Only DELETE action is allowed when no attribute value is specified");
    }
    if (unchecked.value->fault) return invalid(*unchecked.value->fault);
    const ValueType type = unchecked.value->value.view().type();
    if (update.action == UpdateAction::kDelete && !is_set(type)) {
      return invalid_parameter("DELETE action with value is not supported for the type " +
                               std::string(type_name(type)));
    }
    if (update.action == UpdateAction::kAdd && !is_set(type) && type != ValueType::kNumber &&
        type != ValueType::kList) {
      return invalid_parameter("ADD action is not supported for the type " + std::string(type_name(type)));
    }
    update.value = std::move(unchecked.value->value);
  }
  return checked;
}

}  // namespace trestle
