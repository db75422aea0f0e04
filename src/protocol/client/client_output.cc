#include "protocol/client/client_output.h"

#include "model/shapes/item_enumerations.h"
#include "protocol/client/client_json.h"

namespace trestle {

void put(JsonOutput& json, std::string_view name, const std::vector<std::string>& texts) {
  json.key(name).begin_array();
  for (const std::string& text : texts) json.string(text);
  json.end_array();
}

void put(JsonOutput& json, std::string_view name, const std::vector<Value>& values) {
  json.key(name).begin_array();
  for (const Value& value : values) {
    json.separate();
    append_value_json(json.text(), value);
  }
  json.end_array();
}

void put(JsonOutput& json, std::string_view name, const NameMap& names) {
  json.key(name).begin_object();
  for (const auto& [key, text] : names) json.key_escaped(key).string(text);
  json.end_object();
}

void put(JsonOutput& json, std::string_view name, const ValueMap& values) {
  json.key(name).begin_object();
  for (const auto& [key, value] : values) {
    json.key_escaped(key);
    append_value_json(json.text(), value);
  }
  json.end_object();
}

void put_placeholders(JsonOutput& json, const Placeholders& placeholders) {
  put(json, "ExpressionAttributeNames", placeholders.names);
  put(json, "ExpressionAttributeValues", placeholders.values);
}

void put_projection(JsonOutput& json, const ReadProjection& projection) {
  put(json, "ProjectionExpression", projection.expression);
  put(json, "AttributesToGet", projection.attributes_to_get);
}

void put_conditions(JsonOutput& json, std::string_view name, const std::optional<LegacyConditions>& conditions) {
  if (!conditions) return;
  json.key(name).begin_object();
  for (const LegacyCondition& condition : *conditions) {
    json.key_escaped(condition.attribute).begin_object();
    put_choice(json, "ComparisonOperator", condition.comparison, kComparisons);
    put(json, "AttributeValueList", condition.operands);
    put(json, "Value", condition.value);
    put(json, "Exists", condition.exists);
    json.end_object();
  }
  json.end_object();
}

void put_condition(JsonOutput& json, const WriteCondition& condition) {
  put(json, "ConditionExpression", condition.expression);
  put_conditions(json, "Expected", condition.expected);
  put_choice(json, "ConditionalOperator", condition.conditional_operator, kConditionalOperators);
  if (condition.return_item_on_failure) json.member("ReturnValuesOnConditionCheckFailure", "ALL_OLD");
}

void put_return_consumed_capacity(JsonOutput& json, ReturnConsumedCapacity value) {
  if (value == ReturnConsumedCapacity::kNone) return;
  put_choice(json, "ReturnConsumedCapacity", value, kReturnConsumedCapacities);
}

void put_return_item_collection_metrics(JsonOutput& json, bool value) {
  if (value) json.member("ReturnItemCollectionMetrics", "SIZE");
}

Result<void> check_writable(const UpdateTableRequest& request) {
  if (request.replica_updates) return invalid("ReplicaUpdates cannot be passed on to another endpoint");
  return {};
}

}  // namespace trestle
