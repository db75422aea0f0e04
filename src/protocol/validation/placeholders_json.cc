#include "protocol/validation/placeholders_json.h"

#include <algorithm>

namespace trestle {
namespace {

// Whether the key is '#' or ':' and at least one letter, digit or underscore.
bool is_placeholder(std::string_view key, char mark) {
  if (key.size() < 2 || key[0] != mark) return false;
  return std::all_of(key.begin() + 1, key.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
}

std::string names_of_present(std::initializer_list<ParameterPresence> parameters) {
  std::string names = "{";
  for (const auto& parameter : parameters) {
    if (!parameter.present) continue;
    if (names.size() > 1) names.append(", ");
    names.append(parameter.name);
  }
  return names.append("}");
}

bool any_present(std::initializer_list<ParameterPresence> parameters) {
  return std::any_of(parameters.begin(), parameters.end(), [](const auto& parameter) { return parameter.present; });
}

std::string syntax_error(std::string_view parameter, std::string_view key) {
  std::string message(parameter);
  return message.append(" contains invalid key: Syntax error; key: \"").append(key).append("\"");
}

}  // namespace

Result<bool> UncheckedPlaceholders::take(const JsonMember& member) {
  if (member.name == "ExpressionAttributeNames") {
    TRY(read_names(member.value));
    return true;
  }
  if (member.name == "ExpressionAttributeValues") {
    TRY(read_values(member.value));
    return true;
  }
  return false;
}

Result<void> UncheckedPlaceholders::read_names(JsonElement json) {
  TRY_INTO(const JsonInput map, json_map(json, "java.lang.String"));
  names_.emplace();
  for (const JsonMember entry : map) {
    TRY_INTO(const std::string_view name, json_string(entry.value));
    names_->emplace_back(entry.name, name);
  }
  return {};
}

Result<void> UncheckedPlaceholders::read_values(JsonElement json) {
  TRY_INTO(const JsonInput map, json_map(json, "AttributeValue"));
  const ValueReader reader(wording_, depth_max_);
  values_.emplace();
  for (const auto entry : map.object()) {
    TRY_INTO(Noted<Value> value, reader.value(entry.value, JsonPlace::kElement));
    very_deep_ |= value.very_deep;
    if (value.fault && !value_fault_) {
      value_fault_ = std::move(value.fault);
      fault_key_ = entry.key;
    }
    values_->emplace_back(entry.key, std::move(value.value));
  }
  return {};
}

Result<void> UncheckedPlaceholders::check_combination(std::initializer_list<ParameterPresence> non_expressions,
                                                      std::initializer_list<ParameterPresence> expressions) const {
  const bool any_expression = any_present(expressions);
  if (any_expression && any_present(non_expressions)) {
    return invalid(
        "Can not use both expression and non-expression parameters in the same request: "
        "Non-expression parameters: " +
        names_of_present(non_expressions) + " Expression parameters: " + names_of_present(expressions));
  }
  if (names_ && !any_expression) {
    return invalid("ExpressionAttributeNames can only be specified when using expressions");
  }
  if (!values_) return {};
  std::string absent;  // the expressions that could have used values
  size_t absent_count = 0;
  for (const auto& expression : expressions) {
    if (expression.name == "ProjectionExpression") continue;
    if (expression.present) return {};
    if (absent_count++ > 0) absent.append(" and ");
    absent.append(expression.name);
  }
  std::string message = "ExpressionAttributeValues can only be specified when using expressions";
  if (wording_ == ValueWording::kOlder) {
    message.append(": ").append(absent).append(absent_count > 1 ? " are null" : " is null");
  }
  return invalid(std::move(message));
}

Result<void> UncheckedPlaceholders::check(bool older_layer) const {
  if (names_) {
    if (names_->empty()) return invalid("ExpressionAttributeNames must not be empty");
    for (const auto& [key, name] : *names_) {
      if (!is_placeholder(key, '#')) return invalid(syntax_error("ExpressionAttributeNames", key));
    }
  }
  if (!values_) return {};
  if (values_->empty()) return invalid("ExpressionAttributeValues must not be empty");
  for (const auto& [key, value] : *values_) {
    if (!is_placeholder(key, ':')) return invalid(syntax_error("ExpressionAttributeValues", key));
  }
  if (!value_fault_) return {};
  if (wording_ == ValueWording::kCurrent && !older_layer) return invalid(*value_fault_);
  return invalid("ExpressionAttributeValues contains invalid value: " + *value_fault_ + " for key " + fault_key_);
}

}  // namespace trestle
