#include "protocol/shapes/server_json.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "protocol/validation/refusal_for_test.h"

namespace trestle {
namespace {

std::string update(std::string_view members) {
  return refusal(read_update_item_json,
                 fmt::format(R"({{"TableName":"music","Key":{{"pk":{{"S":"a"}}}},{}}})", members));
}

constexpr std::string_view kEmptyName =
    "Value '' at 'tableName' failed to satisfy constraint: Member must have length greater than or equal to 1";
constexpr std::string_view kNoKey = "Value null at 'key' failed to satisfy constraint: Member must not be null";

TEST(UpdateItemJson, every_member_reaches_the_request) {
  const auto request = read(read_update_item_json, R"({"TableName":"music","Key":{"pk":{"S":"a"}},
    "UpdateExpression":"SET a = :v","ConditionExpression":"b = :v","ExpressionAttributeValues":{":v":{"N":"1"}},
    "ReturnValues":"UPDATED_NEW"})");
  ASSERT_TRUE(request.has_value()) << request.error().message;
  EXPECT_EQ(request->key, (Item{{"pk", Value::string("a")}}));
  EXPECT_EQ(request->update_expression, "SET a = :v");
  EXPECT_EQ(request->condition.expression, "b = :v");
  EXPECT_EQ(request->placeholders.values->size(), 1u);
  EXPECT_EQ(request->return_values, ReturnValues::kUpdatedNew);
}

TEST(UpdateItemJson, attribute_updates_reach_the_request) {
  const auto request = read(read_update_item_json, R"({"TableName":"music","Key":{"pk":{"S":"a"}},
    "AttributeUpdates":{"a":{"Value":{"S":"x"}},"b":{"Action":"ADD","Value":{"N":"1"}},"c":{"Action":"DELETE"}}})");
  ASSERT_TRUE(request.has_value()) << request.error().message;
  ASSERT_EQ(request->attribute_updates->size(), 3u);
  EXPECT_EQ(request->attribute_updates->at(0).action, std::nullopt);
  EXPECT_EQ(request->attribute_updates->at(1).action, UpdateAction::kAdd);
  EXPECT_EQ(request->attribute_updates->at(2).value, std::nullopt);
}

TEST(UpdateItemJson, a_missing_key_is_joined_with_other_violations_in_member_order) {
  EXPECT_EQ(refusal(read_update_item_json, R"({"TableName":"","UpdateExpression":"SET a = :a"})"),
            fmt::format("2 validation errors detected: {}; {}", kEmptyName, kNoKey));
  EXPECT_EQ(
      refusal(read_update_item_json, R"({"TableName":"","ReturnConsumedCapacity":"INVALID","ReturnValues":"INVALID"})"),
      fmt::format("4 validation errors detected: Value 'INVALID' at 'returnConsumedCapacity' failed to satisfy "
                  "constraint: Member must satisfy enum value set: [INDEXES, TOTAL, NONE]; {}; Value 'INVALID' at "
                  "'returnValues' failed to satisfy constraint: Member must satisfy enum value set: [ALL_NEW, "
                  "UPDATED_OLD, ALL_OLD, NONE, UPDATED_NEW]; {}",
                  kEmptyName, kNoKey));
  EXPECT_EQ(refusal(read_update_item_json,
                    R"({"TableName":"music","AttributeUpdates":{"x":{"Action":"PUT","Value":{"S":"1"}}},
                                               "Expected":{"a":{"Exists":false},"b":{"Exists":false}},
                                               "ConditionalOperator":"XOR"})"),
            fmt::format("2 validation errors detected: Value 'XOR' at 'conditionalOperator' failed to satisfy "
                        "constraint: Member must satisfy enum value set: [OR, AND]; {}",
                        kNoKey));
}

TEST(UpdateItemJson, an_unknown_return_values_is_reported_alone) {
  EXPECT_EQ(update(R"("ReturnValues":"INVALID","ReturnConsumedCapacity":"INVALID")"), single_error(kReturnValuesSet));
  EXPECT_EQ(
      update(R"("ReturnConsumedCapacity":"INVALID")"),
      single_error("Value 'INVALID' at 'returnConsumedCapacity' failed to satisfy constraint: Member must satisfy enum "
                   "value set: [INDEXES, TOTAL, NONE]"));
}

TEST(UpdateItemJson, an_empty_table_name_stops_the_current_layer) {
  EXPECT_EQ(
      refusal(read_update_item_json, R"({"TableName":"","Key":{}})"),
      single_error(
          "Value at 'TableName' failed to satisfy constraint: Member must have length greater than or equal to 1"));
}

TEST(UpdateItemJson, expressions_and_legacy_parameters_cannot_be_combined) {
  EXPECT_EQ(
      update(R"("UpdateExpression":"SET a = :v","AttributeUpdates":{"a":{"Value":{"S":"x"}}})"),
      single_error("Can not use both expression and non-expression parameters in the same request: Non-expression "
                   "parameters: {AttributeUpdates} Expression parameters: {UpdateExpression}"));
  EXPECT_EQ(
      update(R"("UpdateExpression":"a","ConditionExpression":"b","AttributeUpdates":{},"Expected":{})"),
      single_error("Can not use both expression and non-expression parameters in the same request: Non-expression "
                   "parameters: {AttributeUpdates, Expected} Expression parameters: {UpdateExpression, "
                   "ConditionExpression}"));
  EXPECT_EQ(update(R"("AttributeUpdates":{},"ExpressionAttributeValues":{":v":{"S":"x"}})"),
            single_error("ExpressionAttributeValues can only be specified when using expressions"));
}

TEST(UpdateItemJson, a_malformed_attribute_update_is_refused) {
  const std::string invalid = "One or more parameter values were invalid: ";
  EXPECT_EQ(update(R"("AttributeUpdates":{"a":{}})"),
            single_error(invalid + "Only DELETE action is allowed when no attribute value is specified"));
  EXPECT_EQ(update(R"("AttributeUpdates":{"a":{"Action":"ADD"}})"),
            single_error(invalid + "Only DELETE action is allowed when no attribute value is specified"));
  EXPECT_EQ(update(R"("AttributeUpdates":{"a":{"Action":"DELETE","Value":{"S":"x"}}})"),
            single_error(invalid + "DELETE action with value is not supported for the type S"));
  EXPECT_EQ(update(R"("AttributeUpdates":{"a":{"Action":"ADD","Value":{"S":"x"}}})"),
            single_error(invalid + "ADD action is not supported for the type S"));
  EXPECT_EQ(update(R"("AttributeUpdates":{"a":{"Value":{"N":"x"}}})"),
            single_error("The parameter cannot be converted to a numeric value: x"));
  EXPECT_EQ(
      update(R"("AttributeUpdates":{"a":{"Action":"CHANGE","Value":{"S":"x"}}})"),
      single_error(
          "Value 'CHANGE' at 'attributeUpdates.a.member.action' failed to satisfy constraint: Member must satisfy "
          "enum value set: [ADD, PUT, DELETE]"));
  EXPECT_EQ(update(R"("AttributeUpdates":{"a":5})"), "SerializationException: Unexpected value type in payload");
}

TEST(UpdateItemJson, a_bad_key_value_is_refused) {
  EXPECT_EQ(refusal(read_update_item_json, R"({"TableName":"music","Key":{"pk":{"N":"x"}}})"),
            single_error("The parameter cannot be converted to a numeric value: x"));
}

}  // namespace
}  // namespace trestle
